import type { ReactElement } from "react";
import { Page } from "../../frame/page.tsx";
import { settingsText } from "../../i18n/settings.ts";
import { useText } from "../../i18n/use-text.ts";

export function SettingsPage(): ReactElement {
  const text = useText(settingsText);
  return <Page title={text.title}>{text.title}</Page>;
}
