import type { JsonObject, JsonValue, ToolCallPart, ToolResultContent, ToolResultOutput } from "../../model/messages.ts";
import { jsonText } from "../../model/check/input.ts";
import { readPiece } from "../../model/media.ts";
import { isJsonObject, jsonOr } from "../../model/parse-json.ts";
import type { Placed } from "./arrange-sides.ts";
import { type Media, asBase64 } from "./read-media.ts";
import type { WireReport } from "./wire-report.ts";

/** A call's arguments as the object that providers demand. Arguments that were never parsed are parsed here. */
export function toolInput(place: Placed<ToolCallPart>, report: WireReport): JsonObject {
  const { input } = place.part;
  // Missing arguments are valid.
  if (input === undefined || input === null || input === "") return {};
  if (isJsonObject(input)) return input;
  const parsed = typeof input === "string" ? jsonOr(input, undefined) : undefined;
  if (isJsonObject(parsed)) return parsed;
  report.notePart(place, "input-wrapped");
  return { value: input as JsonObject[string] };
}

export type OutputPiece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "media"; readonly media: Media }
  | { readonly kind: "custom" };

/** A tool's result, read from any of its forms. */
export interface ToolOutput {
  readonly isError: boolean;
  /** The result as JSON: what the tool gave, or the text of it. */
  readonly value: JsonValue;
  readonly pieces: readonly OutputPiece[];
}

export function readToolOutput(output: ToolResultOutput): ToolOutput {
  switch (output.type) {
    case "text":
    case "error-text":
      return { isError: output.type === "error-text", value: output.value, pieces: [textPiece(output.value)] };
    case "json":
    case "error-json": {
      const pieces = [textPiece(jsonText(output.value ?? null, "output.value"))];
      return { isError: output.type === "error-json", value: output.value, pieces };
    }
    case "execution-denied": {
      const text = output.reason ?? "The tool was not run: its execution was denied.";
      return { isError: true, value: text, pieces: [textPiece(text)] };
    }
    case "content": {
      const pieces = output.value.map(pieceOf);
      return { isError: false, value: textOfPieces(pieces), pieces };
    }
  }
}

/** The texts among the pieces, one per line. */
export function textOfPieces(pieces: readonly OutputPiece[]): string {
  return pieces.flatMap((piece) => (piece.kind === "text" ? [piece.text] : [])).join("\n");
}

/** The pieces that have no place in a result of text alone. */
export function withoutTexts(pieces: readonly OutputPiece[]): readonly OutputPiece[] {
  return pieces.filter(({ kind }) => kind !== "text");
}

function textPiece(text: string): OutputPiece {
  return { kind: "text", text };
}

function pieceOf(content: ToolResultContent): OutputPiece {
  const read = readPiece(content);
  if (read === undefined) return { kind: "custom" };
  return typeof read === "string" ? textPiece(read) : { kind: "media", media: asBase64(read) };
}
