import { ChevronLeft, ChevronRight, SlidersHorizontal } from "lucide-react";
import type { RouteReply } from "galley/api";
import { parsePlaceId } from "galley/api/client";
import { type ReactElement, useEffect, useRef, useState } from "react";
import { firstWords } from "../../api/words.ts";
import { useApi } from "../../api/use-api.ts";
import { useCommands } from "../../frame/commands.ts";
import { Link, navigate, useQueryState } from "../../frame/location.tsx";
import { Crumbs, Page } from "../../frame/page.tsx";
import { pathTo } from "../../frame/routes.ts";
import { did } from "../../browser/tour-state.ts";
import { inspectText } from "../../i18n/inspect.ts";
import { messageTexts } from "../../i18n/message.ts";
import { placeText } from "../../i18n/place.ts";
import { useText } from "../../i18n/use-text.ts";
import { Button, Hint, IconButton } from "../../kit/button.tsx";
import { ErrorNotice, showProblem, useLoaded } from "../../kit/notices.tsx";
import { ContextDrawer } from "../../place/context-drawer.tsx";
import { hasSettings } from "../../place/place-of.ts";
import { messageText } from "../../message/message-blocks.ts";
import { Named } from "../../message/named.tsx";
import { sourceLook } from "../../message/row-look.ts";
import { useSessionNames } from "../../api/session-names.ts";
import { type ColumnCall, stackedColumns } from "./stacked-columns.ts";
import { CallChart, CallTable } from "./call-chart.tsx";
import { CallParts } from "./call-parts.tsx";
import { type Call, CallSummary } from "./call-summary.tsx";
import { stream } from "../../api/call.ts";
import { Switch } from "../../kit/fields.tsx";

export interface CallPageProps {
  readonly session: string;
  readonly n: number;
}

/** One call of a session: what was sent, where it came from, and what was not sent and why. */
export function CallPage({ session, n }: CallPageProps): ReactElement {
  const text = useText(inspectText);
  const scroll = useRef<HTMLDivElement>(null);
  const words = useText(placeText);
  const { query } = useQueryState();
  const nameOf = useSessionNames();
  const all = useApi("sessions.get", { params: { id: session } });
  const { data: call, pending } = useLoaded("sessions.call", { params: { id: session, n } }, { keepPrevious: true });
  const calls = all.data?.calls ?? [];
  const shown = calls.find((each) => each.n === n);
  const isThere = call?.n === n;
  useEffect(() => {
    if (isThere) did("why");
  }, [isThere]);
  return (
    <Page
      layout="fill"
      title={text.title}
      header={
        <Crumbs label={text.sessions} href={pathTo("sessions", {})}>
          <Named id={session} name={nameOf(session)} isOneLine />
          <span className="font-medium">{text.call(n)}</span>
          {shown && (
            <span className="min-w-0 truncate text-muted">{text.callOfTurn(shown.callOfTurn, shown.turn)}</span>
          )}
          {isThere && <Question call={call} />}
        </Crumbs>
      }
      actions={<Steps session={session} n={n} calls={calls} />}
    >
      <div className="flex min-h-0 flex-1 max-lg:flex-col">
        <div ref={scroll} className="min-h-0 min-w-0 flex-1 overflow-y-auto">
          <div>
            {all.data && calls.length > 0 && <Overview session={session} n={n} calls={calls} />}
            {(pending ?? all.error) && <div className="p-4">{pending ?? <ErrorNotice error={all.error} />}</div>}
            {call && (
              <>
                <CallSummary call={call} before={calls[calls.findIndex((each) => each.n === call.n) - 1]?.n} />
                <CallNotices call={call} />
                <CallParts key={`${session} ${call.n}`} call={call} scroll={scroll} />
              </>
            )}
          </div>
        </div>
        {query["drawer"] !== undefined && hasSettings(session) && (
          <aside
            aria-label={words.fill}
            className="flex w-80 shrink-0 flex-col gap-3 overflow-y-auto border-l border-line p-3 max-lg:max-h-1/2 max-lg:w-full max-lg:border-t max-lg:border-l-0"
          >
            <ContextDrawer session={session} />
          </aside>
        )}
      </div>
    </Page>
  );
}

/** The call by what was asked in it. */
function Question({ call }: { readonly call: Call }): ReactElement | null {
  const said = firstWords(messageText(call.messages.findLast(({ role }) => role === "user")?.content ?? ""));
  return said === "" ? null : <q className="min-w-0 truncate text-muted">{said}</q>;
}

const linkLook = "inline-flex h-8 items-center rounded-md border border-line px-3 font-medium hover:bg-sunken";

type CallItem = RouteReply<"sessions.get">["calls"][number];

/** To the neighbouring calls, with the keys [ and ] too, and to the comparison with the one before. */
function Steps({ session, n, calls }: CallPageProps & { readonly calls: readonly CallItem[] }): ReactElement {
  const text = useText(inspectText);
  const at = calls.findIndex((call) => call.n === n);
  const { query, setQuery } = useQueryState();
  const go = (index: number): void => {
    const to = calls[index];
    if (to)
      navigate(pathTo("call", { id: session, n: String(to.n) }, { follow: query["follow"], drawer: query["drawer"] }));
  };
  const before = calls[at - 1];
  useCommands([
    { id: "call-before", label: text.before, keys: "[", run: () => go(at - 1) },
    { id: "call-after", label: text.after, keys: "]", run: () => go(at + 1) },
  ]);
  return (
    <>
      <IconButton label={text.before} isDisabled={at <= 0} onPress={() => go(at - 1)} icon={ChevronLeft} />
      <IconButton
        label={text.after}
        isDisabled={at < 0 || at + 1 >= calls.length}
        onPress={() => go(at + 1)}
        icon={ChevronRight}
      />
      <FollowLog session={session} n={n} newest={calls.at(-1)?.n} />
      {hasSettings(session) && (
        <Button
          icon={SlidersHorizontal}
          aria-pressed={query["drawer"] !== undefined}
          onPress={() => setQuery({ drawer: query["drawer"] === undefined ? 1 : undefined })}
        >
          {text.context}
        </Button>
      )}
      {calls.some(({ compacted, isLogged }) => compacted || isLogged) && (
        <Link className={linkLook} href={pathTo("lost", { id: session })}>
          {text.lost}
        </Link>
      )}
      {before && (
        <Link
          className={linkLook}
          href={pathTo("compare", {}, { left: `${session}#${before.n}`, right: `${session}#${n}` })}
        >
          {text.compare}
        </Link>
      )}
    </>
  );
}

function Overview({ session, n, calls }: CallPageProps & { readonly calls: readonly ColumnCall[] }): ReactElement {
  const text = useText(inspectText);
  const words = useText(messageTexts);
  const [isTable, setIsTable] = useState(false);
  const { sources } = stackedColumns(calls);
  return (
    <section aria-label={text.chart} className="border-b border-line px-4 pt-2 pb-1">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <h2 className="font-semibold">{text.chart}</h2>
        <ul className="flex flex-wrap gap-x-3 text-xs text-muted">
          {sources.map((source) => (
            <li key={source} className="flex items-center gap-1.5">
              <span aria-hidden className={`size-2 rounded-full ${sourceLook[source].background}`} />
              {words.sources[source]}
            </li>
          ))}
          {calls.some((call) => call.compacted) && (
            <li className="text-warn" title={text.compactedHint}>
              ▼ {text.compacted}
            </li>
          )}
        </ul>
        <div className="ml-auto">
          <Button size="small" look="quiet" onPress={() => setIsTable(!isTable)}>
            {isTable ? text.asChart : text.asTable}
          </Button>
        </div>
      </div>
      {isTable ? (
        <CallTable session={session} calls={calls} />
      ) : (
        <CallChart
          calls={calls}
          selected={n}
          onSelect={(to) => navigate(pathTo("call", { id: session, n: String(to) }), { replace: true })}
        />
      )}
    </section>
  );
}

/** What the build noticed: an unknown placeholder, a damaged entry. */
function CallNotices({ call }: { readonly call: Call }): ReactElement | null {
  const text = useText(inspectText);
  const { problems } = call;
  if (problems.length === 0) return null;
  return (
    <details className="border-b border-line bg-warn-soft px-4 py-2">
      <summary className="font-medium text-warn">{text.problems(problems.length)}</summary>
      <ul className="mt-1 flex flex-col gap-1">
        {problems.map(({ code, path, message, hint }) => (
          <li key={`${code} ${path} ${message}`}>
            {message} {hint}
            <span className="ml-2 font-mono text-xs text-muted">
              {code} {path}
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Sessions whose agents keep a log that can be followed. */
const followed = /^(?:claude-code|codex|pi|opencode|gemini-cli|copilot-cli):[^/]+$/;

interface FollowLogProps {
  readonly session: string;
  readonly n: number;
  readonly newest: number | undefined;
}

/**
 * Goes on to the newest call, where that was shown, while a run works; and follows the log of an agent for as long as it is
 * on [L3]. The daemon tells every page that the session has grown.
 */
function FollowLog({ session, n, newest }: FollowLogProps): ReactElement | null {
  const text = useText(inspectText);
  const { query, setQuery } = useQueryState();
  const isLog = followed.test(session);
  const isOn = query["follow"] !== undefined;
  const before = useRef(newest);
  useEffect(() => {
    if (isOn && newest !== undefined && n === before.current && newest !== n) {
      navigate(pathTo("call", { id: session, n: String(newest) }, { follow: 1 }), { replace: true });
    }
    before.current = newest;
  }, [isOn, session, n, newest]);
  useEffect(() => {
    if (!isOn || !isLog) return undefined;
    const leaving = new AbortController();
    const follow = async (): Promise<void> => {
      const steps = stream("logs.follow", { params: { id: session } }, { signal: leaving.signal });
      for (let step = await steps.next(); step.done !== true; step = await steps.next());
    };
    follow().catch((error: unknown) => {
      if (!leaving.signal.aborted) showProblem(error);
    });
    return () => leaving.abort();
  }, [isOn, isLog, session]);
  // Nothing is added to what was imported.
  if (!isLog && parsePlaceId(session).kind === "session") return null;
  return (
    <Hint text={isLog ? text.followHint : text.followRuns} className="inline-flex">
      <Switch isSelected={isOn} onChange={(on) => setQuery({ follow: on ? 1 : undefined })}>
        {text.follow}
      </Switch>
    </Hint>
  );
}
