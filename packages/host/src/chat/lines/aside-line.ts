import { hash } from "node:crypto";
import type { JsonObject } from "@galley/engine";
import type { Said } from "@galley/engine/messages";
import * as z from "zod";

/** What an import knew of a line besides its text [X1b]. */
export interface ImportedFields {
  /** Who said it and how. */
  readonly said?: Said | undefined;
  /** What its file said of it besides, for the way back. */
  readonly sillytavern?: JsonObject | undefined;
}

/**
 * An imported line that is not a message of user or assistant: a narrator's, which is sent as a system message, an empty one,
 * which counts for depths, or a hidden one, which is not sent [X1b].
 */
export interface AsideLine extends ImportedFields {
  readonly type: "aside";
  readonly ts: number;
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
  readonly isHidden?: boolean | undefined;
}

/** What is damaged of it is left out. */
export const importedSchema = z.object({
  said: z
    .object({ by: z.string().optional(), text: z.string().optional(), line: z.number().optional() })
    .optional()
    .catch(undefined),
  sillytavern: z.record(z.string(), z.json()).optional().catch(undefined),
});

export const asideSchema = z.object({
  ts: z.number(),
  role: z.enum(["system", "user", "assistant"]),
  content: z.string(),
  isHidden: z.boolean().optional(),
  ...importedSchema.shape,
});

/** Names an aside as a message is named. */
export function asideId({ ts, role, content }: AsideLine): string {
  return `a_${hash("sha256", JSON.stringify([ts, role, content]), "hex").slice(0, 20)}`;
}
