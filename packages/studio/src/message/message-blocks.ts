import type { MessagePart, ToolResultContent, ToolResultOutput } from "@galley/engine/messages";

/** One piece of a message as it is shown. All of it is plain text: what a prompt says is never read as HTML. */
export type MessageBlock =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "reasoning"; readonly text: string }
  | { readonly kind: "call"; readonly id: string; readonly name: string; readonly text: string }
  | {
      readonly kind: "result";
      readonly id: string;
      readonly name: string;
      readonly text: string;
      readonly isError: boolean;
    }
  /** A picture or a file: shown as a card with its type. A picture that came with the message can be drawn; none is loaded. */
  | {
      readonly kind: "media";
      readonly mediaType: string;
      readonly name: string | undefined;
      readonly picture?: string | undefined;
      /** The name of the file in which a chat keeps it. */
      readonly file?: string | undefined;
    }
  | { readonly kind: "other"; readonly name: string; readonly text: string };

/** The pieces of a message's content; an unknown part is shown as JSON, so that nothing is hidden. */
export function messageBlocks(content: unknown): readonly MessageBlock[] {
  if (typeof content === "string") return content === "" ? [] : [{ kind: "text", text: content }];
  if (!Array.isArray(content)) return content ? [{ kind: "other", name: "json", text: jsonText(content) }] : [];
  return content.flatMap((part: unknown) => (isPart(part) ? blocksOf(part) : messageBlocks(part)));
}

/** A message in one line or many, for previews, search and copying. */
export function messageText(content: unknown): string {
  return messageBlocks(content)
    .map((block) => {
      switch (block.kind) {
        case "text":
        case "reasoning":
        case "other":
          return block.text;
        case "call":
          return `${block.name}(${block.text})`;
        case "result":
          return `→ ${block.text}`;
        case "media":
          return `[${block.name ?? block.mediaType}]`;
      }
    })
    .join("\n");
}

/** JSON for reading. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? String(value);
}

function isPart(part: unknown): part is MessagePart {
  return typeof part === "object" && part !== null && typeof (part as { type?: unknown }).type === "string";
}

function blocksOf(part: MessagePart): readonly MessageBlock[] {
  switch (part.type) {
    case "text":
    case "reasoning":
      return [{ kind: part.type, text: part.text }];
    case "tool-call":
      return [{ kind: "call", id: part.toolCallId, name: part.toolName, text: inputText(part.input) }];
    case "tool-result":
      return resultBlocks(part.toolCallId, part.toolName, part.output);
    case "image":
      return [mediaBlock(part.mediaType ?? "image", undefined, part.image)];
    case "file":
      return [mediaBlock(part.mediaType, part.filename, part.data)];
    case "reasoning-file":
      return [{ kind: "media", mediaType: part.mediaType, name: undefined }];
    case "tool-approval-request":
    case "tool-approval-response":
    case "custom":
      return [{ kind: "other", name: part.type, text: jsonText(part) }];
  }
  return [{ kind: "other", name: (part as { readonly type: string }).type, text: jsonText(part) }];
}

function mediaBlock(mediaType: string, name: string | undefined, data: unknown): MessageBlock {
  const { reference = data } = (data ?? {}) as { readonly reference?: unknown };
  const { chatFile } = (reference ?? {}) as { readonly chatFile?: unknown };
  const file = typeof chatFile === "string" ? chatFile : undefined;
  return { kind: "media", mediaType, name, picture: pictureAddress(mediaType, data), file };
}

/** The kinds of pictures that browsers draw without running anything in them. */
export const drawnKinds = /^image\/(?:png|jpeg|gif|webp)$/u;

/** The address of a picture whose bytes are there in base64; nothing for one that would have to be fetched. */
export function pictureAddress(mediaType: string, data: unknown): string | undefined {
  const isHere = drawnKinds.test(mediaType) && typeof data === "string" && /^[\w+/]+=*$/u.test(data);
  return isHere ? `data:${mediaType};base64,${data}` : undefined;
}

function inputText(input: unknown): string {
  return typeof input === "string" ? input : jsonText(input);
}

function resultBlocks(id: string, name: string, output: ToolResultOutput): readonly MessageBlock[] {
  const block = (text: string, isError = false): MessageBlock => ({ kind: "result", id, name, text, isError });
  switch (output.type) {
    case "text":
      return [block(output.value)];
    case "error-text":
      return [block(output.value, true)];
    case "json":
      return [block(jsonText(output.value))];
    case "error-json":
      return [block(jsonText(output.value), true)];
    case "execution-denied":
      return [block(output.reason ?? output.type, true)];
    case "content":
      return [
        block(output.value.flatMap((piece) => (piece.type === "text" ? [piece.text] : [])).join("\n")),
        ...output.value.flatMap(mediaBlocks),
      ];
  }
}

function mediaBlocks(piece: ToolResultContent): readonly MessageBlock[] {
  if (piece.type === "text") return [];
  const mediaType = "mediaType" in piece && piece.mediaType ? piece.mediaType : piece.type;
  return [{ kind: "media", mediaType, name: "filename" in piece ? piece.filename : undefined }];
}
