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
import { CallPage } from "./call-page.tsx";

export interface InspectPageProps {
  readonly session: string | undefined;
  readonly call: string | undefined;
}

/** Without a session the list of them; with one, its newest call, or the one that the URL names. */
export function InspectPage({ session, call }: InspectPageProps): ReactElement {
  if (session === undefined) return <SessionList />;
  if (call === undefined) return <NewestCall session={session} />;
  return <CallPage session={session} n={Number(call)} />;
}

function NewestCall({ session }: { readonly session: string }): ReactElement {
  const text = useText(inspectText);
  const { data, error, refetch } = useApi("sessions.get", { params: { id: session } });
  const newest = data?.calls.at(-1)?.n;
  useEffect(() => {
    if (newest !== undefined) navigate(pathTo("call", { id: session, n: String(newest) }), { replace: true });
  }, [session, newest]);
  return (
    <Page title={text.title}>
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Spinner />}
      {data && newest === undefined && <EmptyState title={text.noCallsTitle}>{text.noneBody}</EmptyState>}
    </Page>
  );
}
