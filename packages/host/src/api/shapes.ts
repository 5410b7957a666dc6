import type {
  BuildStats,
  JsonObject,
  LedgerRow,
  ModelMessage,
  Preset,
  Problem,
  SessionEntry,
  ToolSpec,
  UserMessage,
} from "@galley/engine";
import * as z from "zod";

// Documents whose own schemas live in the engine. Here they are named for OpenAPI; a handler that takes one in parses it
// with the engine's own parser, which says more about what is wrong than a schema can.

// What came over the wire is JSON already: looking through all of it again would take longer than reading it.
function shape<T>(title: string, description: string): z.ZodType<T> {
  const isObject = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value);
  return z.custom<T>(isObject, "Invalid input: expected an object").meta({ title, description, type: "object" });
}

export const preset = shape<Preset>("Preset", "A preset, simple or advanced; its JSON Schema is schemas/preset.json.");
export const modelMessage = shape<ModelMessage>("ModelMessage", "A message as it is sent, in the AI SDK's form.");
export const userMessage = shape<UserMessage>("UserMessage", "A message of the user, in the AI SDK's form.");
export const sessionEntry = shape<SessionEntry>("SessionEntry", "An entry of a session's log.");
const ledgerRow = shape<LedgerRow>("LedgerRow", "One input of a build and what became of it.");
export const toolSpec = shape<ToolSpec>("ToolSpec", "A tool as described to a model.");
export const buildStats = shape<BuildStats>("BuildStats", "The size of a build, and who counted it.");
export const jsonObject = shape<JsonObject>("JsonObject", "Any JSON object.");
export const problem = shape<Problem>("Problem", "Something that was found: code, path, message and hint.");

/** What was built for a call, and how it came about. */
export const builtCall = {
  messages: z.array(modelMessage),
  tools: z.array(toolSpec),
  ledger: z.array(ledgerRow),
  digest: z.string(),
  stats: buildStats,
  stablePrefix: z.number(),
  recipe: z.object({ id: z.string(), pattern: z.string(), rule: z.string() }).optional(),
  problems: z.array(problem),
};

/** Which protocol a provider of models speaks. */
export const servedKind = z.enum(["openai", "anthropic", "google", "openai-compatible"]);

export const chatKey = z.string().min(1).max(500).meta({ description: "The name of a chat." });
/** Of a chat or a context. */
export const titleSchema = z.string().trim().min(1).max(200);
export const chatParams = z.object({ key: chatKey });
export const ok = z.object({ ok: z.literal(true) });
export const removal = ok.extend({
  removedCopies: z
    .array(z.string())
    .meta({ description: "Copies of the store from before a migration, which are removed because they may hold it." }),
});
/** Milliseconds since 1970. */
export const time = z.number();

/** The body of every reply that is not a success. */
export const errorBody = z.object({
  code: z.string(),
  message: z.string(),
  path: z.string().optional(),
  hint: z.string().optional(),
  retryable: z.boolean(),
  problems: z
    .array(problem)
    .optional()
    .meta({ description: "Everything that is wrong, where more than one thing is." }),
});
