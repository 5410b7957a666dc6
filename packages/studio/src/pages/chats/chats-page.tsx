import type { ReactElement } from "react";
import { ChatList } from "./chat-list.tsx";
import { ChatView } from "./chat-view.tsx";

export interface ChatsPageProps {
  readonly chat: string | undefined;
}

/** Without a chat the list of them; with one, its active context with a box to go on with it. */
export function ChatsPage({ chat }: ChatsPageProps): ReactElement {
  return chat === undefined ? <ChatList /> : <ChatView key={chat} chat={chat} />;
}
