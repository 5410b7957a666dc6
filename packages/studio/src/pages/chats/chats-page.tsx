import type { ReactElement } from "react";
import { Page } from "../../frame/page.tsx";
import { chatsText } from "../../i18n/chats.ts";
import { useText } from "../../i18n/use-text.ts";

export function ChatsPage(): ReactElement {
  const text = useText(chatsText);
  return <Page title={text.title}>{text.title}</Page>;
}
