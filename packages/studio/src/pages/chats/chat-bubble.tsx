import type { ReactElement, ReactNode } from "react";
import { chatsText } from "../../i18n/chats.ts";
import { useFormats, useText } from "../../i18n/use-text.ts";
import { classes } from "../../kit/classes.ts";
import { MessageBody } from "../../message/message-body.tsx";
import type { ChatMessage } from "./use-chat-pages.ts";

export interface ChatBubbleProps {
  readonly message: Pick<ChatMessage, "role" | "content" | "ts" | "summaryOf">;
  /** What can be done with it, at the right end of its head. */
  readonly actions?: ReactNode;
  /** Instead of what it says. */
  readonly children?: ReactNode;
}

/** One message of a chat: who said it, when, and what. */
export function ChatBubble({ message, actions, children }: ChatBubbleProps): ReactElement {
  const text = useText(chatsText);
  const { dateTime } = useFormats();
  const isUser = message.role === "user";
  const speaker = isUser ? text.you : text.assistant;
  return (
    <article
      data-role={message.role}
      className={classes("border-b border-l-4 border-b-line px-4 py-2.5", isUser ? "border-l-edge" : "border-l-accent")}
    >
      <div className="mb-1 flex min-h-7 flex-wrap items-center gap-x-2">
        <h3 className="font-semibold">{message.summaryOf === undefined ? speaker : text.summaryMessage}</h3>
        <time className="text-xs text-muted" dateTime={new Date(message.ts).toISOString()}>
          {dateTime(message.ts)}
        </time>
        {actions && <div className="ml-auto flex flex-wrap items-center gap-1">{actions}</div>}
      </div>
      {children ?? <MessageBody content={message.content} isProse />}
    </article>
  );
}
