import { MessagesSquare } from "lucide-react";
import type { ReactElement } from "react";
import { useApi } from "../../api/use-api.ts";
import { chatsText } from "../../i18n/chats.ts";
import { useText } from "../../i18n/use-text.ts";
import { Button } from "../../kit/button.tsx";
import { EmptyState } from "../../kit/empty-state.tsx";
import { setDraft } from "./drafts.ts";

export interface ChatExamplesProps {
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
export function ExampleChips({ chat }: { readonly chat: string }): ReactElement {
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
