import { type ReactElement, useEffect } from "react";
import { useApi } from "../../api/use-api.ts";
import { navigate } from "../../frame/navigation-state.ts";
import { Page } from "../../frame/page.tsx";
import { pathTo } from "../../frame/routes.ts";
import { inspectText } from "../../i18n/inspect.ts";
import { useText } from "../../i18n/use-text.ts";
import { EmptyState } from "../../kit/empty-state.tsx";
import { ErrorNotice } from "../../kit/error-notice.tsx";
import { Spinner } from "../../kit/spinner.tsx";
import { SessionList } from "./session-list.tsx";
import { TurnPage } from "./turn-page.tsx";

export interface InspectPageProps {
  readonly session: string | undefined;
  readonly turn: string | undefined;
}

/** Without a session the list of them; with one, its newest turn, or the one that the URL names. */
export function InspectPage({ session, turn }: InspectPageProps): ReactElement {
  if (session === undefined) return <SessionList />;
  if (turn === undefined) return <NewestTurn session={session} />;
  return <TurnPage session={session} n={Number(turn)} />;
}

function NewestTurn({ session }: { readonly session: string }): ReactElement {
  const text = useText(inspectText);
  const { data, error, refetch } = useApi("sessions.get", { params: { id: session } });
  const newest = data?.turns.at(-1)?.n;
  useEffect(() => {
    if (newest !== undefined) navigate(pathTo("turn", { id: session, n: String(newest) }), { replace: true });
  }, [session, newest]);
  return (
    <Page title={text.title}>
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Spinner />}
      {data && newest === undefined && <EmptyState title={text.noTurnsTitle}>{text.noneBody}</EmptyState>}
    </Page>
  );
}
