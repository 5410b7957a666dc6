import type { ReactElement } from "react";
import { Page } from "../../frame/page.tsx";
import { chatsText } from "../../i18n/chats.ts";
import { useText } from "../../i18n/use-text.ts";

export interface ChatsPageProps {
  readonly chat: string | undefined;
}

export function ChatsPage({ chat }: ChatsPageProps): ReactElement {
  const text = useText(chatsText);
  return <Page title={text.title}>{chat ?? text.title}</Page>;
}
