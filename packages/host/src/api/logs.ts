import { logFormats } from "@galley/engine/logs";
import * as z from "zod";
import { get, post } from "./route.ts";
import { time } from "./shapes.ts";

const params = z.object({ id: z.string().min(1).max(600).meta({ description: "`<agent>:<its own id>`" }) });

const logItem = z.object({
  id: z.string(),
  agent: z.string(),
  parent: z.string().optional(),
  title: z.string().optional(),
  folder: z.string().optional().meta({ description: "Where the agent worked." }),
  file: z.string().optional().meta({ description: "Absent where only the store has it." }),
  size: z.number().optional().meta({ description: "In bytes, with the files of its sub-agents." }),
  updatedAt: time,
  tokens: z.number().optional().meta({ description: "Of the last input, as the provider counted them." }),
  compactions: z.number().optional(),
  isWhole: z.boolean().meta({ description: "Whether all of it was read; otherwise its figures are not known." }),
  isStored: z.boolean(),
  subagents: z.number(),
});

const importNote = z.object({
  fate: z.enum(["kept", "converted", "repaired", "unsupported"]),
  path: z.string(),
  message: z.string(),
});

const importedSession = z.object({
  id: z.string(),
  format: z.enum(logFormats),
  parent: z.string().optional(),
  title: z.string().optional(),
  folder: z.string().optional(),
  counts: z.object({
    messages: z.number(),
    calls: z.number(),
    results: z.number(),
    usage: z.number(),
    compactions: z.number(),
    custom: z.number(),
  }),
  added: z.number().meta({ description: "How many of its entries are new." }),
});

const imported = { sessions: z.array(importedSession), notes: z.array(importNote) };

export const logRoutes = {
  "logs.list": get("/logs", "The sessions of agents on this machine and of the store, newest first, each once.", {
    query: z.object({
      read: z.literal("all").optional().meta({ description: "Reads every file that is not known yet." }),
    }),
    reply: z.object({
      logs: z.array(logItem),
      unread: z.number(),
      problems: z.array(z.string()).meta({ description: "What is there and cannot be read, in words." }),
    }),
  }),
  "logs.import": post("/logs", "Imports the log that the body holds: text of any size, read as it comes.", {
    query: z.object({
      name: z.string().min(1).max(200).meta({ description: "Of the file: the session's id where the log has none." }),
      as: z.enum(logFormats).optional().meta({ description: "Whose log it is; without it, its content tells." }),
    }),
    rawBody: true,
    reply: z.object({ ...imported, format: z.enum(logFormats), damaged: z.number(), isTorn: z.boolean() }),
  }),
  "logs.open": post("/logs/{id}/open", "Imports a session of an agent on this machine, with its sub-agents.", {
    params,
    reply: z.object({ id: z.string(), ...imported }),
  }),
  "logs.follow": get(
    "/logs/{id}/follow",
    "Keeps a session current while its agent works, for as long as this is read; an event for each change.",
    { params, stream: true, reply: z.object({ file: z.string(), added: z.number() }) },
  ),
} as const;
