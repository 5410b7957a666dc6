import type { RouteReply } from "galley/api";
import { type ReactElement, useState } from "react";
import { Link } from "../../frame/location.tsx";
import { Crumbs, Page } from "../../frame/page.tsx";
import { type PageParams, pathTo } from "../../frame/routes.ts";
import { inspectText } from "../../i18n/inspect.ts";
import { useFormats, useText } from "../../i18n/use-text.ts";
import { Button } from "../../kit/button.tsx";
import { EmptyState, useLoaded } from "../../kit/notices.tsx";
import { Section } from "../../kit/section.tsx";
import { Table, type TableColumn } from "../../kit/table.tsx";
import { useSessionNames } from "../../api/session-names.ts";
import { Select } from "../../kit/fields.tsx";

type Loss = RouteReply<"sessions.lost">["compactions"][number];
type LostName = Loss["lost"][number];

/** What each compaction of a session lost [R4]: names that were gone afterwards, and who needed them. */
export function LostPage({ params: { id } }: PageParams<"lost">): ReactElement {
  const text = useText(inspectText);
  const { data, pending } = useLoaded("sessions.lost", { params: { id } });
  return (
    <Page
      title={text.lost}
      header={
        <Crumbs label={text.sessions} href={pathTo("sessions", {})}>
          <Link className="wrap-anywhere text-accent hover:underline" title={id} href={pathTo("sessions", { id })}>
            {useSessionNames()(id)}
          </Link>
        </Crumbs>
      }
    >
      {pending}
      {data?.compactions.length === 0 && <EmptyState title={text.lostNone}>{text.lostNoneBody}</EmptyState>}
      {data && data.compactions.length > 0 && (
        <div className="flex flex-col gap-6">
          <p className="max-w-3xl text-muted">{text.lostLead}</p>
          {data.compactions.map((loss, index) => (
            <CompactionLoss key={loss.entryId} session={id} loss={loss} n={index + 1} />
          ))}
        </div>
      )}
      {data && <RetentionSection session={id} />}
    </Page>
  );
}

interface CompactionLossProps {
  readonly session: string;
  readonly loss: Loss;
  /** Which compaction of the session it is. */
  readonly n: number;
}

/** Of each compaction a person sees this many names at first. */
const shownAtFirst = 10;

function CompactionLoss({ session, loss, n }: CompactionLossProps): ReactElement {
  const text = useText(inspectText);
  const { number, percent } = useFormats();
  const [isAll, setIsAll] = useState(false);
  const { by = text.withoutSummary, usedAgain, survived, lost } = loss;
  const share = usedAgain === 0 ? 1 : survived / usedAgain;
  const shown = isAll ? lost : lost.slice(0, shownAtFirst);
  return (
    <Section
      title={text.compactionBy(n, by)}
      lead={usedAgain === 0 ? text.notNeeded : text.survived(number(survived), number(usedAgain), percent(share))}
    >
      {usedAgain > 0 && (
        <div aria-hidden className="mb-3 flex h-2 max-w-md overflow-hidden rounded-full bg-warn-soft">
          <div className="bg-accent" style={{ width: `${share * 100}%` }} />
        </div>
      )}
      {usedAgain > 0 && lost.length === 0 && <p className="text-muted">{text.allSurvived}</p>}
      {lost.length > 0 && (
        <>
          {lost.length > shownAtFirst && !isAll && (
            <p className="mb-1 text-muted">{text.costMost(number(shownAtFirst))}</p>
          )}
          <LostNames session={session} names={shown} label={text.compactionBy(n, by)} />
          {lost.length > shown.length && (
            <Button size="small" onPress={() => setIsAll(true)}>
              {text.showAll(number(lost.length))}
            </Button>
          )}
        </>
      )}
    </Section>
  );
}

interface LostNamesProps {
  readonly session: string;
  readonly names: readonly LostName[];
  readonly label: string;
}

function LostNames({ session, names, label }: LostNamesProps): ReactElement {
  const text = useText(inspectText);
  const { number } = useFormats();
  const message = (at: number, call: number | null, entry?: string): ReactElement | number => {
    if (call === null) return at;
    return (
      <Link className="text-accent hover:underline" href={pathTo("call", { id: session, n: String(call) }, { entry })}>
        {number(at)}
      </Link>
    );
  };
  const columns: readonly TableColumn<LostName>[] = [
    { label: text.lostName, cell: ({ name }) => <span className="font-mono wrap-anywhere">{name}</span> },
    {
      label: text.stoodIn,
      isNumber: true,
      cell: ({ stoodAt, stoodInCall, stoodIn }) => message(stoodAt, stoodInCall, stoodIn),
    },
    { label: text.neededBy, isNumber: true, cell: ({ neededAt, neededByCall }) => message(neededAt, neededByCall) },
    { label: text.afterCompaction, isNumber: true, isExtra: true, cell: ({ after }) => after },
    { label: text.uses, isNumber: true, cell: ({ uses }) => uses },
  ];
  return <Table label={label} columns={columns} rows={names} rowKey={({ name }) => name} />;
}

type Row = RouteReply<"sessions.retention">["rows"][number];

const budgets = ["8000", "32000", "128000"] as const;

/** How much of what replies repeat was in the input of their calls [R5]. A replay takes a while, so a person asks for it. */
function RetentionSection({ session }: { readonly session: string }): ReactElement {
  const text = useText(inspectText);
  const { number } = useFormats();
  const [budget, setBudget] = useState<(typeof budgets)[number]>("32000");
  const [isAsked, setIsAsked] = useState(false);
  return (
    <div className="mt-6">
      <Section title={text.retention} lead={text.retentionLead}>
        <div className="mb-3 flex flex-wrap items-end gap-3">
          <Select
            label={text.retentionBudget}
            className="w-56"
            options={budgets.map((id) => ({ id, label: text.budgetTokens(number(Number(id))) }))}
            value={budget}
            onChange={setBudget}
          />
          {!isAsked && <Button onPress={() => setIsAsked(true)}>{text.measure}</Button>}
        </div>
        {isAsked && <RetentionTable session={session} budget={Number(budget)} />}
      </Section>
    </div>
  );
}

function RetentionTable({ session, budget }: { readonly session: string; readonly budget: number }): ReactElement {
  const text = useText(inspectText);
  const { number, percent } = useFormats();
  const { data, pending } = useLoaded("sessions.retention", { params: { id: session }, query: { budget } });
  if (pending) return pending;
  const share = (of: "names" | "farNames" | "lines", part: "present" | "reachable" | "lost") => ({
    isNumber: true,
    cell: ({ [of]: count }: Row) => (count.used === 0 ? "–" : percent(count[part] / count.used)),
  });
  const columns: readonly TableColumn<Row>[] = [
    { label: text.fitted, cell: (row) => fittedText(row) },
    { label: text.namesPresent, ...share("names", "present") },
    { label: text.reachable, ...share("names", "reachable") },
    { label: text.namesLost, ...share("names", "lost") },
    { label: text.farNames, ...share("farNames", "present") },
    { label: text.linesPresent, isExtra: true, ...share("lines", "present") },
    { label: text.calls, isNumber: true, isExtra: true, cell: ({ calls, refused }) => calls + refused },
    {
      label: text.meanInput,
      isNumber: true,
      isExtra: true,
      cell: ({ calls, tokens }) => Math.round(tokens / Math.max(1, calls)),
    },
  ];
  const fittedText = (row: Row): string =>
    row.budget === null ? text.asItWas : text.withGalley(text.budgetTokens(number(row.budget)));
  return <Table label={text.retention} columns={columns} rows={data.rows} rowKey={({ budget: of }) => String(of)} />;
}
