import type { ReactElement } from "react";
import { chatsText } from "../../i18n/chats.ts";
import { useText } from "../../i18n/use-text.ts";
import { Button } from "../../kit/button.tsx";
import { ErrorNotice } from "../../kit/error-notice.tsx";
import { Spinner } from "../../kit/spinner.tsx";
import { ChatBubble } from "./chat-bubble.tsx";
import { useChatPages } from "./use-chat-pages.ts";
import { useStickToEnd } from "./use-stick-to-end.ts";

/** Everything that was said, beside what is sent. */
export function Transcript({ chat }: { readonly chat: string }): ReactElement {
  const text = useText(chatsText);
  const pages = useChatPages("chats.transcript", chat);
  const scroll = useStickToEnd(pages.messages.at(-1)?.id);
  return (
    <section
      aria-label={text.transcript}
      className="flex min-h-0 w-96 shrink-0 flex-col border-l border-line max-xl:w-72 max-lg:w-full max-lg:border-t max-lg:border-l-0"
    >
      <div className="border-b border-line px-4 py-2">
        <h2 className="font-semibold">{text.transcript}</h2>
        <p className="text-xs text-muted">{text.transcriptHint}</p>
      </div>
      <div ref={scroll} className="min-h-0 flex-1 overflow-y-auto">
        {pages.error && <ErrorNotice error={pages.error} onRetry={pages.retry} />}
        {pages.isLoading && <Spinner />}
        {!pages.isLoading && pages.messages.length === 0 && <p className="p-4 text-muted">{text.transcriptEmpty}</p>}
        {pages.hasEarlier && (
          <div className="flex justify-center p-2">
            <Button size="small" onPress={pages.showEarlier}>
              {text.earlier}
            </Button>
          </div>
        )}
        <ol>
          {pages.messages.map((message, index) => (
            // A message's id is made of what it says; the same one may stand twice.
            // oxlint-disable-next-line react/no-array-index-key
            <li key={`${message.id} ${index}`}>
              <ChatBubble message={message} />
            </li>
          ))}
        </ol>
      </div>
    </section>
  );
}
