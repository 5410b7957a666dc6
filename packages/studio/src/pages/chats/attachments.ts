import type { UserMessage } from "@galley/engine/messages";
import { create } from "zustand";
import { type StateStorage, createJSONStorage, persist } from "zustand/middleware";
import { call } from "../../api/call.ts";
import { messageBlocks, messageText } from "../../message/message-blocks.ts";

/** A picture or a file that goes with the next message. */
export interface Attachment {
  readonly name: string;
  readonly mediaType: string;
  /** What is sent of it: text as it is, everything else in base64. */
  readonly text?: string;
  readonly data?: string;
  /** What is sent in the place of both, for what a message brought that is said once more. */
  readonly part?: unknown;
}

/** What a person says: the words, and what goes with them. */
export interface Said {
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

type UserPart = Exclude<UserMessage["content"], string>[number];

export type AttachmentProblem = "kind" | "size";

/** A tab has room for a few megabytes: what is too much for it is kept until the page is left. */
const tabStorage: StateStorage = {
  getItem: (name) => sessionStorage.getItem(name),
  removeItem: (name) => sessionStorage.removeItem(name),
  setItem: (name, value) => {
    try {
      sessionStorage.setItem(name, value);
    } catch {
      sessionStorage.removeItem(name);
    }
  },
};

const useAttached = create<Readonly<Record<string, readonly Attachment[]>>>()(
  persist(() => ({}), { name: "galley-attachments", version: 1, storage: createJSONStorage(() => tabStorage) }),
);

const none: readonly Attachment[] = [];
/** A request to the daemon holds 2 MiB. */
const maxCharacters = 1_900_000;
/** Larger pictures are made smaller by providers anyway. */
const maxEdge = 2048;
const maxPictureBytes = 1_000_000;
const textual = /^text\/|[/+](?:json|xml|yaml|javascript|typescript)$/u;
const textualNames = /\.(?:md|ts|tsx|js|jsx|py|rs|go|c|h|cpp|java|sh|ya?ml|toml|ini|log|csv|sql|css|html?)$/iu;

export function useAttachments(chat: string): readonly Attachment[] {
  return useAttached((state) => state[chat] ?? none);
}

export function removeAttachment(chat: string, attachment: Attachment): void {
  useAttached.setState((state) => ({ [chat]: (state[chat] ?? none).filter((one) => one !== attachment) }));
}

export function takeAttachments(chat: string): readonly Attachment[] {
  const taken = useAttached.getState()[chat] ?? none;
  useAttached.setState({ [chat]: none });
  return taken;
}

/** Puts back what was sent and not taken. */
export function returnAttachments(chat: string, returned: readonly Attachment[]): void {
  useAttached.setState((state) => ({ [chat]: [...returned, ...(state[chat] ?? none)] }));
}

/** Takes files in as far as they can be sent, and gives the names of the others. */
export async function attachFiles(
  chat: string,
  files: Iterable<File>,
): Promise<readonly { readonly name: string; readonly problem: AttachmentProblem }[]> {
  const refused: { name: string; problem: AttachmentProblem }[] = [];
  for (const file of files) {
    const attachment = await readAttachment(file);
    if (attachment === undefined) refused.push({ name: file.name, problem: "kind" });
    else if (sizeOf([...(useAttached.getState()[chat] ?? none), attachment]) > maxCharacters) {
      refused.push({ name: file.name, problem: "size" });
    } else useAttached.setState((state) => ({ [chat]: [...(state[chat] ?? none), attachment] }));
  }
  return refused;
}

function sizeOf(attachments: readonly Attachment[]): number {
  return attachments.reduce((sum, { text = "", data = "" }) => sum + text.length + data.length, 0);
}

async function readAttachment(file: File): Promise<Attachment | undefined> {
  const { name, type } = file;
  if (type.startsWith("image/") && type !== "image/svg+xml") return readPicture(file);
  if (type === "application/pdf") return { name, mediaType: type, data: await base64Of(file) };
  if (!textual.test(type) && !textualNames.test(name)) return undefined;
  return { name, mediaType: "text/plain", text: await file.text() };
}

/** As it is, or smaller where it is large: that is enough for every model. */
async function readPicture(file: File): Promise<Attachment> {
  const { name, type } = file;
  if (file.size <= maxPictureBytes) return { name, mediaType: type, data: await base64Of(file) };
  const bitmap = await createImageBitmap(file);
  const scale = Math.min(1, maxEdge / Math.max(bitmap.width, bitmap.height));
  const canvas = new OffscreenCanvas(Math.round(bitmap.width * scale), Math.round(bitmap.height * scale));
  canvas.getContext("2d")?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  const smaller = await canvas.convertToBlob({ type: "image/jpeg", quality: 0.85 });
  return { name, mediaType: "image/jpeg", data: await base64Of(smaller) };
}

async function base64Of(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  let binary = "";
  for (let start = 0; start < bytes.length; start += 0x8000) {
    binary += String.fromCharCode(...bytes.subarray(start, start + 0x8000));
  }
  return btoa(binary);
}

/** As a run takes it: words alone, or a message of the words and what goes with them. */
export function chatInput({ text, attachments }: Said): string | UserMessage {
  if (attachments.length === 0) return text;
  const words = text.trim() === "" ? [] : [{ type: "text" as const, text }];
  const parts = attachments.map(({ name, mediaType, text: written, data = "", part }): UserPart => {
    if (part !== undefined) return part as UserPart;
    if (written !== undefined) return { type: "text", text: `${name}:\n\n${written}` };
    return { type: "file", mediaType, data, filename: name };
  });
  return { role: "user", content: [...words, ...parts] };
}

/** What was typed of a stored message, and the parts that went with it. */
function partsOf(content: unknown): { readonly typed: string; readonly beside: readonly unknown[] } {
  if (!Array.isArray(content)) return { typed: messageText(content), beside: [] };
  const [first, ...rest] = content as readonly { readonly type?: string; readonly text?: string }[];
  return first?.type === "text" ? { typed: first.text ?? "", beside: rest } : { typed: "", beside: content };
}

/** The words of a message: what went with them is not edited. */
export const typedText = (content: unknown): string => partsOf(content).typed;

/** What goes with a message, by name. */
export const namesBeside = (content: unknown): readonly string[] => partsOf(content).beside.map(nameOf);

function nameOf(part: unknown): string {
  const [block] = messageBlocks([part]);
  if (block?.kind === "media") return block.name ?? block.mediaType;
  // Of a text file, its name stands before it.
  return messageText([part]).split(/:?\n/u, 1)[0]?.slice(0, 80) ?? "";
}

/** A stored message, to be said once more: what the chat keeps as files is read. */
export async function readSaid(chat: string, content: unknown): Promise<Said> {
  const { typed, beside } = partsOf(content);
  const attachments = beside.map(async (part): Promise<Attachment> => {
    const [block] = messageBlocks([part]);
    const name = nameOf(part);
    if (block?.kind !== "media" || block.file === undefined) return { name, mediaType: "", part };
    const { data } = await call("chats.file", { params: { key: chat, name: block.file } });
    return { name, mediaType: block.mediaType, data };
  });
  return { text: typed, attachments: await Promise.all(attachments) };
}
