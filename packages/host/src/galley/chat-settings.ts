import { GalleyError } from "@galley/engine";
import * as z from "zod";
import { parseAs } from "../api/parse-as.ts";
import { contextChanges, contextSettingsSchema } from "../api/context-settings.ts";
import { titleSchema } from "../api/shapes.ts";
import { formatVersion, newerError } from "../chat/lines/chat-line.ts";
import { type ContextSettings, settingKeys } from "../config/settings-in-force.ts";
import { readDocument, stampOf } from "../disk/data-files.ts";
import { checkOf } from "../turn/services/check-request.ts";
import type { ChatChanges, ChatSettings } from "../turn/services/galley-ports.ts";

const settingsSchema = z.looseObject({
  v: z.number().default(1),
  title: z.string().optional(),
  forkedFrom: z.object({ chat: z.string(), message: z.string() }).optional(),
  model: z.string().optional(),
  preset: z.string().optional(),
  context: z.unknown().optional(),
});

const name = z.string().nullable().optional();

/** Refuse changes of settings that are not as they should be: what is ignored in silence would be missed later [T3]. */
export const checkChatChanges = checkOf(
  z.strictObject({ title: titleSchema.nullable().optional(), model: name, preset: name, ...contextChanges }),
);
export const checkSessionChanges = checkOf(z.strictObject(contextChanges));

const maxKnown = 1000;

/** Reads the settings of chats, each file again only after it has changed. */
export function chatSettingsReader(): { read(file: string): ChatSettings } {
  const known = new Map<string, { readonly stamp: string; readonly settings: ChatSettings }>();
  return {
    read(file) {
      const stamp = stampOf(file)?.stamp ?? "";
      const before = known.get(file);
      if (before?.stamp === stamp) return before.settings;
      const settings = readChatSettings(file);
      if (known.size >= maxKnown) known.clear();
      known.set(file, { stamp, settings });
      return settings;
    },
  };
}

/** What a chat uses unless a turn says otherwise, from its file. */
export function readChatSettings(file: string): ChatSettings {
  const found = readDocument(file, settingsSchema);
  if (found === undefined) return {};
  if (found === "damaged") {
    const hint = "Delete it: the chat then uses what turns and the configuration say.";
    throw new GalleyError("DataDamaged", `${file} does not hold the settings of a chat.`, { path: file, hint });
  }
  const { v, title, forkedFrom, model, preset, context } = found;
  if (v > formatVersion) throw newerError(v, file);
  const parsed =
    context === undefined ? undefined : parseAs(contextSettingsSchema, context, `${file}: context`, "DataDamaged");
  return { title, forkedFrom, model, preset, context: parsed };
}

/** The settings with the changes: fields that are left out stay, `null` takes one away. */
export function changeSettings(
  before: ChatSettings,
  { title, model, preset, context, unset = [] }: ChatChanges,
): ChatSettings {
  const settings = changeContext(before.context, context, unset);
  const present = {
    title: title === undefined ? before.title : (title ?? undefined),
    forkedFrom: before.forkedFrom,
    model: model === undefined ? before.model : (model ?? undefined),
    preset: preset === undefined ? before.preset : (preset ?? undefined),
    context: settings,
  };
  return Object.fromEntries(Object.entries(present).filter(([, value]) => value !== undefined));
}

/** A place's context settings with the changes; nothing where none is left. */
export function changeContext(
  before: ContextSettings | undefined,
  given: ContextSettings | null | undefined,
  unset: readonly string[],
): ContextSettings | undefined {
  for (const [index, key] of unset.entries()) {
    if ((settingKeys as readonly string[]).includes(key)) continue;
    throw new GalleyError("BadRequest", `There is no context setting ${JSON.stringify(key)}.`, {
      path: `unset[${index}]`,
      hint: `There are ${settingKeys.join(", ")}.`,
    });
  }
  const changes =
    given === null || given === undefined
      ? {}
      : parseAs(contextSettingsSchema, given, "context", "ContextInvalidInput");
  const merged = Object.entries({ ...(given === null ? {} : before), ...changes });
  const left = merged.filter(([key, value]) => value !== undefined && !unset.includes(key));
  return left.length === 0 ? undefined : Object.fromEntries(left);
}
