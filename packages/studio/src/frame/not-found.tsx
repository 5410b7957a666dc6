import type { ReactElement } from "react";
import { frameText } from "../i18n/frame.ts";
import { useText } from "../i18n/use-text.ts";
import { EmptyState } from "../kit/empty-state.tsx";
import { Link } from "./link.tsx";
import { Page } from "./page.tsx";
import { pathTo } from "./routes.ts";

export function NotFound(): ReactElement {
  const text = useText(frameText);
  return (
    <Page title={text.notFoundTitle}>
      <EmptyState title={location.pathname} actions={<Link href={pathTo("home", {})}>{text.toHome}</Link>}>
        {text.notFoundBody}
      </EmptyState>
    </Page>
  );
}
