import type { PinEntry } from "../model/entries.ts";
import type { ModelMessage } from "../model/messages.ts";

/** A sentence that is pinned, as it is sent. */
export interface PinnedText {
  readonly id: string;
  readonly message: ModelMessage;
}

const made = new WeakMap<PinEntry, PinnedText>();

/**
 * With the user's voice, and not the system's: a model that may pin must not get to speak as the system. Made once for each
 * pin, so that its size and hash are known afterwards.
 */
export function pinnedTexts(pins: readonly PinEntry[]): readonly PinnedText[] {
  return pins.map((pin) => {
    const known = made.get(pin);
    if (known) return known;
    const by = pin.by === "model" ? "assistant" : "user";
    const text: PinnedText = {
      id: pin.id,
      message: { role: "user", content: `[Pinned by the ${by}]\n${pin.text ?? ""}` },
    };
    made.set(pin, text);
    return text;
  });
}
