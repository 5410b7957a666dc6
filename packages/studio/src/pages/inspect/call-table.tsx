import type { ReactElement } from "react";
import { Link } from "../../frame/link.tsx";
import { pathTo } from "../../frame/routes.ts";
import { inspectText } from "../../i18n/inspect.ts";
import { messageTexts } from "../../i18n/message.ts";
import { useFormats, useText } from "../../i18n/use-text.ts";
import { Table, type TableColumn } from "../../kit/table.tsx";
import type { ColumnCall } from "./stacked-columns.ts";
import { stackedColumns } from "./stacked-columns.ts";

export interface CallTableProps {
  readonly session: string;
  readonly calls: readonly ColumnCall[];
}

/** What the chart draws, in words and numbers. */
export function CallTable({ session, calls }: CallTableProps): ReactElement {
  const text = useText(inspectText);
  const words = useText(messageTexts);
  const { number } = useFormats();
  const columns: readonly TableColumn<ColumnCall>[] = [
    {
      id: "n",
      label: text.calls,
      cell: ({ n }) => callLink(session, n, text.call(n)),
    },
    { id: "all", label: text.tokens, isNumber: true, cell: (call) => number(call.inputTokens) },
    ...stackedColumns(calls).sources.map((source) => ({
      id: source,
      label: words.sources[source],
      isNumber: true,
      isExtra: true,
      cell: (call: ColumnCall) => number(call.bySource[source] ?? 0),
    })),
    { id: "compacted", label: text.compacted, cell: ({ compacted }) => (compacted ? "✓" : "") },
  ];
  return (
    <div className="max-h-64 overflow-y-auto">
      <Table label={text.chart} columns={columns} rows={calls} rowKey={({ n }) => String(n)} />
    </div>
  );
}

function callLink(session: string, n: number, label: string): ReactElement {
  return <Link href={pathTo("call", { id: session, n: String(n) })}>{label}</Link>;
}
