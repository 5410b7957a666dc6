import type { RouteReply } from "galley/api";
import { Pin, PinOff } from "lucide-react";
import { type ReactElement, useState } from "react";
import { useApi } from "../../api/use-api.ts";
import { pinsText } from "../../i18n/pins.ts";
import { useFormats, useText } from "../../i18n/use-text.ts";
import { Button, IconButton } from "../../kit/button.tsx";
import { TextField } from "../../kit/fields.tsx";
import { showToast, useDeed } from "../../kit/notices.tsx";
import { messageText } from "../../message/message-blocks.ts";

type PinnedItem = RouteReply<"sessions.pins">["pins"][number];

const noPins: readonly PinnedItem[] = [];

/** What is pinned in the active context of a chat [R6]. */
export function usePins(chat: string): readonly PinnedItem[] {
  return useApi("sessions.pins", { params: { id: `chat:${chat}` } }).data?.pins ?? noPins;
}

/** Pins and unpins, and says what went wrong. */
function usePinning(chat: string): {
  readonly pin: (body: { entryId: string } | { text: string }, after?: () => void) => void;
  readonly unpin: (id: string) => void;
} {
  const text = useText(pinsText);
  const pin = useDeed("sessions.pin");
  const unpin = useDeed("sessions.unpin");
  const id = `chat:${chat}`;
  return {
    pin: (body, after) =>
      pin.run({ params: { id }, body }, () => {
        showToast({ text: text.pinDone });
        after?.();
      }),
    unpin: (one) => unpin.run({ params: { id, pin: one } }, () => showToast({ text: text.unpinDone })),
  };
}

interface PinButtonProps {
  readonly chat: string;
  readonly messageId: string;
  readonly isPinned: boolean;
}

/** Among what can be done with a message. */
export function PinButton({ chat, messageId, isPinned }: PinButtonProps): ReactElement {
  const text = useText(pinsText);
  const { pin, unpin } = usePinning(chat);
  return (
    <IconButton
      label={isPinned ? text.unpin : text.pin}
      size="small"
      onPress={() => (isPinned ? unpin(messageId) : pin({ entryId: messageId }))}
      icon={isPinned ? PinOff : Pin}
    />
  );
}

/** At a message that is sent with every call. */
export function PinMark(): ReactElement {
  const text = useText(pinsText);
  return (
    <p className="mb-1 inline-flex items-center gap-1 text-xs text-accent" data-pinned>
      <Pin aria-hidden size={12} />
      {text.pinned}
    </p>
  );
}

/** What is pinned, with a field for a sentence of one's own. */
export function PinnedList({ chat }: { readonly chat: string }): ReactElement {
  const text = useText(pinsText);
  const { number } = useFormats();
  const pins = usePins(chat);
  const { pin, unpin } = usePinning(chat);
  const [typed, setTyped] = useState("");
  const isEmpty = typed.trim() === "";
  const add = (): void => {
    if (!isEmpty) pin({ text: typed.trim() }, () => setTyped(""));
  };
  return (
    <details className="mt-3" open={pins.length > 0}>
      <summary className="cursor-default text-sm font-semibold">{text.pins(number(pins.length))}</summary>
      <ul className="mt-1 flex flex-col divide-y divide-line">
        {pins.map((item) => (
          <li key={item.id} className="flex items-center gap-1 py-1">
            <span className="min-w-0 flex-1 text-xs">
              <span className="line-clamp-3 wrap-anywhere">{pinText(item)}</span>
              <span className="text-muted">
                {item.text === undefined ? text.ofMessage : text.ofSentence}
                {item.by === "model" && ` · ${text.pinnedByModel}`}
              </span>
            </span>
            <IconButton
              label={`${text.unpin}: ${pinText(item).slice(0, 40)}`}
              size="small"
              icon={PinOff}
              onPress={() => unpin(item.id)}
            />
          </li>
        ))}
      </ul>
      <div className="mt-2 flex flex-col items-start gap-2">
        <TextField
          className="w-full"
          label={text.pinText}
          description={text.pinHint}
          value={typed}
          onChange={setTyped}
          rows={3}
          onEnter={add}
        />
        <Button size="small" isDisabled={isEmpty} onPress={add}>
          {text.pin}
        </Button>
      </div>
    </details>
  );
}

function pinText({ text, message }: PinnedItem): string {
  return text ?? messageText((message as { readonly content: string | unknown[] } | undefined)?.content ?? "");
}
