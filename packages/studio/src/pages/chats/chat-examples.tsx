import { MessagesSquare } from "lucide-react";
import type { ReactElement } from "react";
import { chatsText } from "../../i18n/chats.ts";
import { useText } from "../../i18n/use-text.ts";
import { Button } from "../../kit/button.tsx";
import { EmptyState } from "../../kit/empty-state.tsx";
import { setDraft } from "./drafts.ts";

/** What to say to the demo model, to see what a context can do. */
export function ChatExamples({ chat }: { readonly chat: string }): ReactElement {
  const text = useText(chatsText);
  return (
    <EmptyState icon={<MessagesSquare aria-hidden size={28} />} title={text.emptyTitle}>
      <p>{text.emptyBody}</p>
      <ul className="mt-3 flex flex-col items-stretch gap-2">
        {text.examples.map(({ input, note }) => (
          <li key={input} className="flex flex-col items-center">
            <Button
              onPress={() => {
                setDraft(chat, input);
                document.querySelector<HTMLElement>("[data-conversation] ~ * textarea")?.focus();
              }}
            >
              <span className="font-mono">{input}</span>
            </Button>
            <span className="mt-0.5 text-xs">{note}</span>
          </li>
        ))}
      </ul>
    </EmptyState>
  );
}
