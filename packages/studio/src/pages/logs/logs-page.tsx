import { ScrollText } from "lucide-react";
import { type ReactElement, useDeferredValue, useState } from "react";
import { hasWords } from "../../api/words.ts";
import { Link, useQueryState } from "../../frame/location.tsx";
import { Page } from "../../frame/page.tsx";
import { pathTo } from "../../frame/routes.ts";
import { logsText } from "../../i18n/logs.ts";
import { useFormats, useText } from "../../i18n/use-text.ts";
import { Button } from "../../kit/button.tsx";
import { SearchField } from "../../kit/fields.tsx";
import { EmptyState, useLoaded } from "../../kit/notices.tsx";
import { CopyButton } from "../../message/copy-button.tsx";
import { LogTable } from "./log-table.tsx";

/** The sessions of agents on this computer. Their folders are read when a person asks for it, and not before [L3]. */
export function LogsPage(): ReactElement {
  const text = useText(logsText);
  const { query, setQuery } = useQueryState();
  const isAsked = query["show"] !== undefined;
  return (
    <Page title={text.title}>
      {isAsked ? (
        <FoundLogs />
      ) : (
        <>
          <EmptyState
            icon={ScrollText}
            title={text.askTitle}
            actions={
              <Button look="primary" onPress={() => setQuery({ show: "newest" })}>
                {text.ask}
              </Button>
            }
          >
            {text.askBody}
          </EmptyState>
          <WhereLogsAre />
        </>
      )}
    </Page>
  );
}

/** As many are shown at once; more on request. */
const pageLength = 100;

function FoundLogs(): ReactElement {
  const text = useText(logsText);
  const { number } = useFormats();
  const { query, setQuery } = useQueryState();
  const isAll = query["show"] === "all";
  const { data, pending } = useLoaded("logs.list", { query: isAll ? { read: "all" } : {} }, { keepPrevious: true });
  const [limit, setLimit] = useState(pageLength);
  const wanted = query["q"] ?? "";
  if (pending) return pending;
  if (data.logs.length === 0) {
    return (
      <>
        <EmptyState icon={ScrollText} title={text.noneTitle}>
          {text.noneBody}
        </EmptyState>
        <WhereLogsAre />
      </>
    );
  }
  const found = data.logs.filter(({ id, title = "", folder = "" }) => hasWords(`${id} ${title} ${folder}`, wanted));
  const rest = found.length - limit;
  return (
    <div className="flex flex-col gap-3">
      <p className="text-muted">{text.lead}</p>
      <SearchField label={text.search} value={wanted} onChange={(q) => setQuery({ q })} isPageSearch />
      {data.problems.map((problem) => (
        <p key={problem} className="text-xs wrap-anywhere text-warn">
          {problem}
        </p>
      ))}
      {data.unread > 0 && (
        <p role="status" className="flex flex-wrap items-center gap-3 text-muted">
          {text.unread(number(data.unread))}
          <Button size="small" onPress={() => setQuery({ show: "all" })}>
            {text.readAll}
          </Button>
        </p>
      )}
      {found.length === 0 ? <p className="text-muted">{text.noMatch}</p> : <LogTable logs={found.slice(0, limit)} />}
      {rest > 0 && (
        <div className="flex items-center gap-3 text-muted">
          {text.shown(number(limit), number(found.length))}
          <Button size="small" onPress={() => setLimit(limit + pageLength)}>
            {text.more(number(Math.min(rest, pageLength)))}
          </Button>
        </div>
      )}
      <SaidInSessions wanted={wanted} />
    </div>
  );
}

const anyHome = "galley logs --home <folder>";

/** Where Galley looks, and how logs come here that are not there. */
function WhereLogsAre(): ReactElement {
  const text = useText(logsText);
  return (
    <ul className="mx-auto grid w-full max-w-3xl gap-4 md:grid-cols-2">
      <li className="flex flex-col gap-1 rounded-lg border border-line bg-raised p-4">
        <h3 className="font-semibold">{text.where}</h3>
        <p className="text-muted">{text.whereBody}</p>
      </li>
      <li className="flex flex-col items-start gap-1 rounded-lg border border-line bg-raised p-4">
        <h3 className="font-semibold">{text.elsewhere}</h3>
        <p className="text-muted">{text.elsewhereBody}</p>
        <p className="flex items-center gap-1">
          <code className="text-xs wrap-anywhere">{anyHome}</code>
          <CopyButton text={anyHome} />
        </p>
        <Link className="text-accent underline" href={pathTo("import", {})}>
          {text.toImport}
        </Link>
      </li>
    </ul>
  );
}

const maxMatches = 10;

/** Imported sessions in which the words were said, each with the best place in it [L4]. */
function SaidInSessions({ wanted }: { readonly wanted: string }): ReactElement | null {
  const text = useText(logsText);
  const q = useDeferredValue(wanted.trim());
  const isEnabled = q !== "";
  const query = { q, limit: maxMatches };
  const { data, pending } = useLoaded("sessions.search", { query }, { isEnabled, keepPrevious: true });
  if (!isEnabled) return null;
  return (
    <section aria-label={text.said} className="flex flex-col gap-2">
      <h2 className="font-semibold">{text.said}</h2>
      {pending}
      {data?.matches.length === 0 && <p className="text-muted">{text.notSaid}</p>}
      <ul className="flex flex-col gap-2">
        {data?.matches.map(({ id, title = id, snippet, entryId }) => (
          <li key={id} className="rounded-md border border-line p-3">
            <p>
              <Link title={id} href={pathTo("sessions", { id }, { entry: entryId })}>
                {title}
              </Link>
            </p>
            <p className="mt-1 text-sm wrap-anywhere text-muted">{snippet}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}
