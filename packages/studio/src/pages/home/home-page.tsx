import type { ReactElement } from "react";
import { Page } from "../../frame/page.tsx";
import { homeText } from "../../i18n/home.ts";
import { useText } from "../../i18n/use-text.ts";

export function HomePage(): ReactElement {
  const text = useText(homeText);
  return <Page title={text.title}>{text.title}</Page>;
}
