import { Send, Square } from "lucide-react";
import { type KeyboardEvent, type ReactElement, useState } from "react";
import { Form } from "react-aria-components";
import { chatsText } from "../../i18n/chats.ts";
import { useText } from "../../i18n/use-text.ts";
import { Button } from "../../kit/button.tsx";
import { ErrorNotice } from "../../kit/error-notice.tsx";
import { TextField } from "../../kit/text-field.tsx";
import { sendDraft, stopRun } from "./active-runs.ts";
import { ExampleChips } from "./chat-examples.tsx";
import { setDraft, useDraft } from "./drafts.ts";

export interface ChatBoxProps {
  readonly chat: string;
  readonly isRunning: boolean;
  /** Shows what the demo model understands. */
  readonly hasExamples: boolean;
}

/** Runs a real turn. Enter sends, except while an input method composes a word. */
export function ChatBox({ chat, isRunning, hasExamples }: ChatBoxProps): ReactElement {
  const text = useText(chatsText);
  const draft = useDraft(chat)?.text ?? "";
  const [error, setError] = useState<unknown>();
  const send = (): void => {
    if (draft.trim() && !isRunning) sendDraft(chat);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  const stop = (): void => {
    setError(undefined);
    stopRun(chat).catch(setError);
  };
  return (
    <div data-chat-box className="border-t border-line p-3">
      {hasExamples && <ExampleChips chat={chat} />}
      {error !== undefined && (
        <div className="mb-2">
          <ErrorNotice error={error} />
        </div>
      )}
      <Form
        className="flex items-end gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <TextField
          className="flex-1"
          aria-label={text.input}
          placeholder={text.placeholder}
          rows={3}
          value={draft}
          onChange={(value) => setDraft(chat, value)}
          onKeyDown={onKeyDown}
        />
        {isRunning ? (
          <Button look="danger" onPress={stop}>
            <Square aria-hidden size={14} />
            {text.stop}
          </Button>
        ) : (
          <Button type="submit" look="primary" isDisabled={!draft.trim()}>
            <Send aria-hidden size={14} />
            {text.send}
          </Button>
        )}
      </Form>
    </div>
  );
}
