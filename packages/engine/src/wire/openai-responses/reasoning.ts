import type { ReasoningPart, TextPart, ToolCallPart } from "../../model/messages.ts";
import type { Placed } from "../shared/arrange-sides.ts";
import type {
  OpenAiInputItem,
  OpenAiInputMessage,
  OpenAiOutputMessage,
  OpenAiPhase,
  OpenAiReasoningItem,
} from "./types.ts";
import { providerOption } from "../../model/provider-options.ts";
import type { PartPlace, WireReport } from "../shared/wire-report.ts";

interface LooseThoughts {
  readonly add: (place: Placed<ReasoningPart>) => void;
  /** A part that is not sent and does not count. */
  readonly skip: (place: PartPlace) => void;
  /** Says whether the part is what the reasoning before it led to; reasoning that led elsewhere is taken out. */
  readonly leadTo: (place: PartPlace) => boolean;
  readonly drop: () => void;
}

/**
 * Keeps reasoning only where the very next part is sent too: OpenAI refuses reasoning without the item it led to, for
 * instance a call of one of its own tools, which is left out here.
 */
export function looseThoughts(items: OpenAiInputItem[], report: WireReport): LooseThoughts {
  let item: OpenAiReasoningItem | undefined;
  let places: PartPlace[] = [];
  let next: PartPlace | undefined;
  const expect = ({ message, index }: PartPlace): void => {
    next = { message, index: index + 1 };
  };
  const isNext = (place: PartPlace): boolean => place.message === next?.message && place.index === next.index;
  const drop = (): void => {
    for (const place of places) report.notePart(place, "reasoning-left-out");
    item = undefined;
    places = [];
  };
  return {
    add: (place) => {
      const added = reasoningItem(place.part);
      const isSame = item !== undefined && item.id === added?.id && isNext(place);
      if (!isSame) drop();
      places.push(place);
      expect(place);
      if (!added) drop();
      else item = item && isSame ? { ...item, ...added, summary: [...item.summary, ...added.summary] } : added;
    },
    skip: (place) => {
      if (isNext(place)) expect(place);
    },
    leadTo: (place) => {
      if (!item) return false;
      if (!isNext(place)) {
        drop();
        return false;
      }
      items.push(item);
      item = undefined;
      places = [];
      return true;
    },
    drop,
  };
}

/** Reasoning can be sent back only as the item it was; without an id it cannot. */
function reasoningItem(part: ReasoningPart): OpenAiReasoningItem | undefined {
  const id = providerOption(part, "openai", "itemId");
  if (id === undefined) return undefined;
  const encrypted = providerOption(part, "openai", "reasoningEncryptedContent");
  return {
    type: "reasoning",
    id,
    summary: part.text === "" ? [] : [{ type: "summary_text", text: part.text }],
    ...(encrypted === undefined ? {} : { encrypted_content: encrypted }),
  };
}

// An item with an id must have its reasoning before it. So the ids of messages and calls are sent behind reasoning and
// nowhere else.

export function assistantText(part: TextPart, isReasoned: boolean): OpenAiInputMessage | OpenAiOutputMessage {
  const phase = phaseOf(part);
  const id = isReasoned ? itemId(part, "msg") : undefined;
  if (id === undefined) return { role: "assistant", content: part.text, ...phase };
  const content: OpenAiOutputMessage["content"] = [{ type: "output_text", text: part.text, annotations: [] }];
  return { type: "message", id, role: "assistant", status: "completed", content, ...phase };
}

/** The id of the item that a part was, where it is one. */
export function itemId(part: TextPart | ToolCallPart, prefix: string): string | undefined {
  const id = providerOption(part, "openai", "itemId");
  return id?.startsWith(prefix) === true ? id : undefined;
}

function phaseOf(part: TextPart): { phase?: OpenAiPhase } {
  const phase = providerOption(part, "openai", "phase");
  return phase === "commentary" || phase === "final_answer" ? { phase } : {};
}
