import { MessagesSquare, Send, Square } from "lucide-react";
import { type KeyboardEvent, type ReactElement, useState } from "react";
import { Form } from "react-aria-components";
import { useApi } from "../../api/use-api.ts";
import { chatsText } from "../../i18n/chats.ts";
import { useText } from "../../i18n/use-text.ts";
import { Button } from "../../kit/button.tsx";
import { TextField } from "../../kit/fields.tsx";
import { EmptyState, ErrorNotice } from "../../kit/notices.tsx";
import { sendDraft, stopRun } from "./active-runs.ts";
import { setDraft, useDraft } from "./drafts.ts";

interface ChatBoxProps {
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
          <Button look="danger" onPress={stop} icon={Square}>
            {text.stop}
          </Button>
        ) : (
          <Button type="submit" look="primary" isDisabled={!draft.trim()} icon={Send}>
            {text.send}
          </Button>
        )}
      </Form>
    </div>
  );
}

interface ChatExamplesProps {
  readonly chat: string;
  /** Other models do not know the commands of the demo model. */
  readonly isDemo: boolean;
}

interface Example {
  readonly input: string;
  readonly note: string;
}

interface Examples {
  /** A story: something to remember, another topic, and back again. */
  readonly story: readonly Example[];
  /** What works in this chat as it is: back to a context that there is, a task for a profile that there is. */
  readonly next: readonly Example[];
  readonly hasProfile: boolean | undefined;
}

const maxTitleLength = 40;

/** What the demo model understands. */
function useExamples(chat: string): Examples {
  const text = useText(chatsText);
  const { data } = useApi("profiles.list", {});
  const archived = useApi("chats.get", { params: { key: chat } }).data?.contexts ?? [];
  const profile = data?.profiles[0]?.name;
  const delegate = profile === undefined ? [] : [text.delegateExample(profile)];
  // A context that began with a command is named after it; to say both would be one too many.
  const back = archived.filter(({ title }) => title.length <= maxTitleLength && !/[:：]/.test(title)).slice(0, 1);
  return {
    story: [...text.examples, ...delegate],
    next: [...text.examples.slice(1, 2), ...back.map(({ title }) => text.backExample(title)), ...delegate],
    hasProfile: data && profile !== undefined,
  };
}

function choose(chat: string, input: string): void {
  setDraft(chat, input);
  document.querySelector<HTMLElement>("[data-chat-box] textarea")?.focus();
}

/** What to say, to see what a context can do. */
export function ChatExamples({ chat, isDemo }: ChatExamplesProps): ReactElement {
  const text = useText(chatsText);
  const { story, hasProfile } = useExamples(chat);
  const icon = <MessagesSquare aria-hidden size={28} />;
  if (!isDemo) {
    return (
      <EmptyState icon={icon} title={text.active}>
        {text.emptyOther}
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={icon} title={text.emptyTitle}>
      <p>{text.emptyBody}</p>
      <ol className="mt-3 flex flex-col items-stretch gap-2">
        {story.map(({ input, note }) => (
          <li key={input} className="flex flex-col items-center">
            <Button onPress={() => choose(chat, input)}>
              <span className="font-mono">{input}</span>
            </Button>
            <span className="mt-0.5 text-xs">{note}</span>
          </li>
        ))}
      </ol>
      {hasProfile === false && (
        <p className="mt-3 text-xs">
          {text.noProfile} <code className="whitespace-nowrap">{text.noProfileCommand}</code>
        </p>
      )}
    </EmptyState>
  );
}

/** The same, small, above the box, while a chat is young. */
function ExampleChips({ chat }: { readonly chat: string }): ReactElement {
  const text = useText(chatsText);
  const { next } = useExamples(chat);
  return (
    <div className="mb-2 flex flex-wrap items-center gap-1.5">
      <span className="text-xs text-muted">{text.tryNext}</span>
      {next.map(({ input }) => (
        <Button key={input} size="small" look="quiet" onPress={() => choose(chat, input)}>
          <span className="rounded border border-dashed border-edge px-1.5 font-mono font-normal">{input}</span>
        </Button>
      ))}
    </div>
  );
}
