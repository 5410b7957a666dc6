import type { ReactElement } from "react";
import { Link } from "../../frame/link.tsx";
import { useQueryState } from "../../frame/navigation-state.ts";
import { Page } from "../../frame/page.tsx";
import { pathTo } from "../../frame/routes.ts";
import { handoverText } from "../../i18n/handover.ts";
import { useText } from "../../i18n/use-text.ts";
import { BoxView } from "./box-view.tsx";
import { TaskList } from "./task-list.tsx";
import { TaskTreeView } from "./task-tree-view.tsx";

export interface HandoverPageProps {
  readonly box: string | undefined;
}

/** Tasks with their trees, or one box of cards. */
export function HandoverPage({ box }: HandoverPageProps): ReactElement {
  const text = useText(handoverText);
  const { query } = useQueryState();
  const task = query["task"];
  if (box !== undefined) {
    return (
      <Page title={text.boxTitle(box)} header={<Link href={pathTo("boxes", {}, { task })}>{text.all}</Link>}>
        <BoxView key={box} id={box} version={query["version"]} task={task} />
      </Page>
    );
  }
  if (task !== undefined) {
    return (
      <Page title={text.tree} header={<Link href={pathTo("boxes", {})}>{text.all}</Link>}>
        <TaskTreeView key={task} root={task} />
      </Page>
    );
  }
  return (
    <Page title={text.title} header={<p className="text-muted">{text.lead}</p>}>
      <TaskList />
    </Page>
  );
}
