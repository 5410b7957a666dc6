import { GalleyError, type PinEntry, type PinnedItem } from "@galley/engine";
import * as z from "zod";
import { defineTool } from "../../tools/define-tool.ts";
import type { Tool } from "../../tools/tool.ts";
import { toldBriefly } from "../../tools/tool-specs.ts";
import type { PlacePins } from "./place-pins.ts";

export const pinToolName = "context_pin";

const schema = toldBriefly(
  z.object({ handle: z.string().optional(), text: z.string().optional(), unpin: z.string().optional() }),
);

const answerSchema = z.object({ id: z.string(), pinned: z.boolean() });

/** In characters, of all that a model has pinned: it must never fill its own window with pins. */
const maxCharacters = 4000;

/** The tool by which a model keeps something in its own context, where a person allows it [R6]. */
export function pinTool(pins: PlacePins, onPin: (entry: PinEntry) => void = () => {}): Tool {
  const took = (entry: PinEntry | undefined): void => {
    if (entry) onPin(entry);
  };
  return defineTool({
    name: pinToolName,
    rpcMethod: "context.pin",
    title: "Pin",
    description: "Keep a message (§12) or text in your context; unpin takes its id or handle.",
    inputSchema: schema,
    outputSchema: answerSchema,
    annotations: { readOnlyHint: false, openWorldHint: false, idempotentHint: true },
    isRepeatable: true,
    async execute({ handle, text, unpin }) {
      if (unpin !== undefined) {
        const { id, entry } = await pins.unpin(ownPin(await pins.list(), unpin).id);
        took(entry);
        return { id, pinned: false };
      }
      if ((handle === undefined) === (text === undefined)) {
        throw new GalleyError("ContextInvalidInput", "Give a handle such as §12, or a text, and not both.", {
          path: "handle",
        });
      }
      checkRoom(await pins.list(), text?.length ?? 0);
      const { id, entry } = await pins.pin(text === undefined ? { handle: handle ?? "" } : { text }, "model");
      if (entry && sizeOf(await pins.list()) > maxCharacters) {
        took((await pins.unpin(id)).entry);
        throw tooMuch();
      }
      took(entry);
      return { id, pinned: true };
    },
  });
}

/** Only its own: what a person has pinned, a person unpins. */
function ownPin(items: readonly PinnedItem[], wanted: string): PinnedItem {
  const item = items.find(({ id, handle }) => id === wanted || handle === wanted);
  if (item?.by === "model") return item;
  const pinned = items.filter(({ by }) => by === "model").map(({ id, handle }) => handle ?? id);
  throw new GalleyError(
    "NotFound",
    item ? `${wanted} was pinned by a person, who alone can unpin it.` : `${wanted} is not pinned.`,
    { path: "unpin", hint: pinned.length === 0 ? "You have pinned nothing." : `You have pinned ${pinned.join(", ")}.` },
  );
}

function checkRoom(items: readonly PinnedItem[], more: number): void {
  if (sizeOf(items) + more > maxCharacters) throw tooMuch();
}

function sizeOf(items: readonly PinnedItem[]): number {
  const own = items.filter(({ by }) => by === "model");
  return own.reduce((sum, { text, entry }) => sum + (text?.length ?? JSON.stringify(entry?.message.content).length), 0);
}

function tooMuch(): GalleyError {
  return new GalleyError("ContextInvalidInput", `What you pin may have ${maxCharacters} characters in all.`, {
    path: "text",
    hint: "Pin a shorter text, or unpin something first.",
  });
}
