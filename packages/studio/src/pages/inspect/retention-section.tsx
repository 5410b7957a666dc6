import type { RouteReply } from "galley/api";
import { type ReactElement, useState } from "react";
import { inspectText } from "../../i18n/inspect.ts";
import { useFormats, useText } from "../../i18n/use-text.ts";
import { Button } from "../../kit/button.tsx";
import { Select } from "../../kit/fields.tsx";
import { useLoaded } from "../../kit/notices.tsx";
import { Section } from "../../kit/section.tsx";
import { Table, type TableColumn } from "../../kit/table.tsx";

type Row = RouteReply<"sessions.retention">["rows"][number];

const budgets = ["8000", "32000", "128000"] as const;

/** How much of what replies repeat was in the input of their calls [R5]. A replay takes a while, so a person asks for it. */
export function RetentionSection({ session }: { readonly session: string }): ReactElement {
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
