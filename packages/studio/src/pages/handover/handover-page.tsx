import type { ReactElement } from "react";
import { Link } from "../../frame/link.tsx";
import { useQueryState } from "../../frame/navigation-state.ts";
import { Page } from "../../frame/page.tsx";
import { pathTo } from "../../frame/routes.ts";
import { handoverText } from "../../i18n/handover.ts";
import { useText } from "../../i18n/use-text.ts";
import { BoxView } from "./box-view.tsx";
import { DelegationList } from "./delegation-list.tsx";
import { DelegationTree } from "./delegation-tree.tsx";

export interface HandoverPageProps {
  readonly box: string | undefined;
}

/** Delegations with their trees, or one box of cards. */
export function HandoverPage({ box }: HandoverPageProps): ReactElement {
  const text = useText(handoverText);
  const { query } = useQueryState();
  const turn = query["turn"];
  if (box !== undefined) {
    return (
      <Page title={text.boxTitle(box)} header={<Link href={pathTo("boxes", {}, { turn })}>{text.all}</Link>}>
        <BoxView key={box} id={box} version={query["version"]} turn={turn} />
      </Page>
    );
  }
  if (turn !== undefined) {
    return (
      <Page title={text.tree} header={<Link href={pathTo("boxes", {})}>{text.all}</Link>}>
        <DelegationTree key={turn} root={turn} />
      </Page>
    );
  }
  return (
    <Page title={text.title} header={<p className="text-muted">{text.lead}</p>}>
      <DelegationList />
    </Page>
  );
}
