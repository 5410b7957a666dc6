import { type ErrorCode, GalleyError, type Secrets, redactText } from "@galley/engine";
import * as z from "zod";
import { contextSettingsSchema } from "../../api/context-settings.ts";
import { modelOptionsSchema } from "../../api/model-options.ts";
import { parseAs } from "../../api/parse-as.ts";

const text = z.string().optional();
const anything = z.unknown().optional();
const given = z.custom((value) => value !== undefined, 'Expected what the user says: a text, or {"role": "user", …}');
const anObject = z.custom<object>((value) => typeof value === "object" && value !== null, "Expected an object");

const aModel = z.custom<object>((value) => {
  const { modelId, doStream } = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
  return typeof modelId === "string" && typeof doStream === "function";
});
const aTool = z.custom<object>((value) => {
  const { name, execute } = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
  return typeof name === "string" && typeof execute === "function";
}, "Expected a tool {name, description, inputSchema, execute}");

/** What a turn and a run may be asked for. Input and preset are parsed where they are used, which says more about them. */
const shared = {
  model: z
    .union([z.string(), aModel], "Expected the name of a model, such as demo or gpt-6.1-sol, or a model of the AI SDK")
    .optional(),
  preset: z.union([z.string(), anObject], "Expected the id of a preset, or a preset").optional(),
  context: contextSettingsSchema.optional(),
  budget: z.int("Expected a whole number from 1 upwards").min(1, "Expected a whole number from 1 upwards").optional(),
  system: text,
  variables: z.record(z.string(), z.string()).optional(),
  now: z.number().optional(),
  tools: z.array(aTool).optional(),
  modelOptions: modelOptionsSchema.optional(),
  limits: z.strictObject({ maxCalls: anything, maxToolCallsPerReply: anything, maxMilliseconds: anything }).optional(),
};
const place = { chat: text, agent: text, session: text };
const inRuns = {
  signal: z.instanceof(AbortSignal, { error: "Expected an AbortSignal" }).optional(),
  runId: text,
};

const turnSchema = z.strictObject({ ...place, ...shared, input: given });
const questionSchema = z.strictObject({ ...place, ...shared });
const runSchema = z.strictObject({ ...place, ...shared, ...inRuns, input: given });
const againSchema = z.strictObject({ ...shared, ...inRuns });

const isText = (value: unknown): boolean => typeof value === "string";
const usualFields: UsualFields = {
  chat: isText,
  agent: isText,
  session: isText,
  model: isText,
  input: isText,
  budget: (value) => Number.isSafeInteger(value) && (value as number) > 0,
};

export const checkTurn = unlessUsual(usualFields, ["input"], checkOf(turnSchema));
export const checkQuestion = checkOf(questionSchema);
export const checkRun = unlessUsual(usualFields, ["input"], checkOf(runSchema));
export const checkAgain = checkOf(againSchema);

/** What goes with the steps of a turn, with a build that was too long, and with a reply [T7]. The values are checked where they are used. */
export const checkNext = checkOf(z.strictObject({ usage: anything }));
export const checkOverflow = checkOf(z.strictObject({ message: text }));
export const checkOutcome = unlessUsual(
  // The values are checked where they are used.
  { assistant: isText, steps: () => true, usage: () => true },
  ["assistant"],
  checkOf(
    z.strictObject({
      assistant: anything,
      steps: anything,
      usage: anything,
      onConflict: z
        .enum(["fail", "append"], 'Expected "fail" or "append"')
        .optional()
        .meta({ description: "Leave it out to be told of a conflict." }),
    }),
  ),
);

/** What a field is in most requests. */
type UsualFields = Readonly<Record<string, (value: unknown) => boolean>>;

/** Spares the schema a request that holds nothing but usual fields: a turn costs little more than what is written [T11]. */
function unlessUsual(
  fields: UsualFields,
  required: readonly string[],
  check: (value: unknown) => void,
): (value: unknown) => void {
  return (value) => {
    if (!isUsual(fields, required, value)) check(value);
  };
}

function isUsual(fields: UsualFields, required: readonly string[], value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const given = Object.entries(value);
  if (!given.every(([key, each]) => Object.hasOwn(fields, key) && (each === undefined || fields[key]?.(each) === true)))
    return false;
  return required.every((key) => (value as Readonly<Record<string, unknown>>)[key] !== undefined);
}

/** A check that throws with everything that is wrong with a value, each with its path [T3]. */
export function checkOf(schema: z.ZodObject, code: ErrorCode = "ContextInvalidInput"): (value: unknown) => void {
  return (value) => void parseAs(schema, value, "", code);
}

/** Refuses names that hold a secret: they would be written as they are, into records and as names of files [P6]. */
export function checkNames(names: Readonly<Record<string, string | null | undefined>>, secrets: Secrets): void {
  for (const [path, name] of Object.entries(names)) {
    if (typeof name !== "string") continue;
    const shown = redactText(name, secrets);
    if (shown === name) continue;
    throw new GalleyError("InvalidId", `${JSON.stringify(shown)} holds a secret and cannot be a name.`, {
      path,
      hint: "Choose another name. A key belongs into the environment or into galley.config.",
    });
  }
}
