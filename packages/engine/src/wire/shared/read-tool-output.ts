import type { JsonValue, ToolResultContent, ToolResultOutput } from "../../model/messages.ts";
import { type Media, readMedia } from "./read-media.ts";

export type OutputPiece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "media"; readonly media: Media }
  | { readonly kind: "custom" };

/** A tool's result, whatever way it was given. */
export interface ToolOutput {
  readonly isError: boolean;
  /** The result as JSON: what the tool gave, or the text of it. */
  readonly value: JsonValue;
  readonly pieces: readonly OutputPiece[];
}

export function readToolOutput(output: ToolResultOutput): ToolOutput {
  switch (output.type) {
    case "text":
      return { isError: false, value: output.value, pieces: [textPiece(output.value)] };
    case "error-text":
      return { isError: true, value: output.value, pieces: [textPiece(output.value)] };
    case "json":
      return { isError: false, value: output.value, pieces: [textPiece(JSON.stringify(output.value ?? null))] };
    case "error-json":
      return { isError: true, value: output.value, pieces: [textPiece(JSON.stringify(output.value ?? null))] };
    case "execution-denied": {
      const text = output.reason ?? "The tool was not run: its execution was denied.";
      return { isError: true, value: text, pieces: [textPiece(text)] };
    }
    case "content": {
      const pieces = output.value.map(readPiece);
      return { isError: false, value: textOfPieces(pieces), pieces };
    }
  }
}

/** The texts among the pieces, one per line. */
export function textOfPieces(pieces: readonly OutputPiece[]): string {
  return pieces.flatMap((piece) => (piece.kind === "text" ? [piece.text] : [])).join("\n");
}

function textPiece(text: string): OutputPiece {
  return { kind: "text", text };
}

function readPiece(content: ToolResultContent): OutputPiece {
  switch (content.type) {
    case "text":
      return textPiece(content.text);
    case "file":
      return mediaPiece(readMedia(content.data, content.mediaType, content.filename));
    case "file-data":
      return mediaPiece(readMedia(content.data, content.mediaType, content.filename));
    case "file-url":
      return mediaPiece(readMedia(content.url, content.mediaType ?? ""));
    case "file-id":
      return mediaPiece({ kind: "reference", reference: referenceOf(content.fileId), mediaType: "" });
    case "file-reference":
      return mediaPiece({ kind: "reference", reference: content.providerReference, mediaType: "" });
    case "image-data":
      return mediaPiece(readMedia(content.data, content.mediaType));
    case "image-url":
      return mediaPiece(readMedia(content.url, "image"));
    case "image-file-id":
      return mediaPiece({ kind: "reference", reference: referenceOf(content.fileId), mediaType: "image" });
    case "image-file-reference":
      return mediaPiece({ kind: "reference", reference: content.providerReference, mediaType: "image" });
    case "custom":
      return { kind: "custom" };
  }
}

function mediaPiece(media: Media): OutputPiece {
  return { kind: "media", media };
}

/** An id that does not say whose it is belongs to the provider that is asked: that is how the AI SDK reads it. */
function referenceOf(fileId: string | Record<string, string>): Record<string, string> {
  return typeof fileId === "string" ? { anthropic: fileId, openai: fileId, google: fileId } : fileId;
}
