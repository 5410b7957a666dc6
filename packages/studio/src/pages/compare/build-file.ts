import {
  type LedgerRow,
  type ModelMessage,
  type ToolSpec,
  GalleyError,
  parseJson,
  parseTools,
  throwOnErrors,
} from "@galley/engine";
import { messageSchema, problemsOf } from "@galley/engine/schemas";

/** One side of a comparison, from a file or from a recorded call. */
export interface ComparedBuild {
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ToolSpec[];
  /** Empty where the file has none. */
  readonly ledger: readonly LedgerRow[];
  readonly digest?: string;
  readonly model?: string;
  readonly recipe?: string;
  /** The id of the tokenizer that counted it. */
  readonly tokenizer?: string;
}

interface Document {
  readonly messages?: unknown;
  readonly tools?: unknown;
  readonly ledger?: unknown;
  readonly digest?: unknown;
  readonly model?: unknown;
  readonly recipe?: { readonly id?: unknown };
  readonly stats?: { readonly tokenizer?: unknown };
}

/** Reads what `galley build --json` prints; a plain list of messages will do as well. Throws with the path of what is wrong. */
export function readBuildFile(text: string): ComparedBuild {
  const value = parseJson(text, { what: "file" });
  const document = (Array.isArray(value) ? { messages: value } : value) as Document | null;
  if (!Array.isArray(document?.messages)) {
    throw new GalleyError("ContextInvalidInput", "The file has no list of messages.", { path: "messages" });
  }
  const parsed = messageSchema.array().safeParse(document.messages);
  if (!parsed.success) throwOnErrors(problemsOf(parsed.error.issues, "ContextInvalidInput", "messages"));
  const { tools, ledger, digest, model, recipe, stats } = document;
  return {
    messages: document.messages as readonly ModelMessage[],
    tools: tools === undefined ? [] : parseTools(tools),
    ledger: Array.isArray(ledger) ? ledger.filter(isRow) : [],
    ...(typeof digest === "string" && { digest }),
    ...(typeof model === "string" && { model }),
    ...(typeof recipe?.id === "string" && { recipe: recipe.id }),
    ...(typeof stats?.tokenizer === "string" && { tokenizer: stats.tokenizer }),
  };
}

function isRow(row: unknown): row is LedgerRow {
  const { kind, id, fate } = (row ?? {}) as Partial<LedgerRow>;
  return typeof kind === "string" && typeof id === "string" && typeof fate === "string";
}
