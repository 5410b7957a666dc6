import type { ReactElement } from "react";
import { Link } from "../../frame/link.tsx";
import { pathTo } from "../../frame/routes.ts";
import { inspectText } from "../../i18n/inspect.ts";
import { messageTexts } from "../../i18n/message.ts";
import { useFormats, useText } from "../../i18n/use-text.ts";
import { Table, type TableColumn } from "../../kit/table.tsx";
import type { ColumnTurn } from "./stacked-columns.ts";
import { stackedColumns } from "./stacked-columns.ts";

export interface TurnTableProps {
  readonly session: string;
  readonly turns: readonly ColumnTurn[];
}

/** What the chart draws, in words and numbers. */
export function TurnTable({ session, turns }: TurnTableProps): ReactElement {
  const text = useText(inspectText);
  const words = useText(messageTexts);
  const { number } = useFormats();
  const columns: readonly TableColumn<ColumnTurn>[] = [
    {
      id: "n",
      label: text.turns,
      cell: ({ n }) => turnLink(session, n, text.turn(n)),
    },
    { id: "all", label: text.tokens, isNumber: true, cell: (turn) => number(turn.inputTokens) },
    ...stackedColumns(turns).sources.map((source) => ({
      id: source,
      label: words.sources[source],
      isNumber: true,
      isExtra: true,
      cell: (turn: ColumnTurn) => number(turn.bySource[source] ?? 0),
    })),
    { id: "compacted", label: text.compacted, cell: ({ compacted }) => (compacted ? "✓" : "") },
  ];
  return (
    <div className="max-h-64 overflow-y-auto">
      <Table label={text.chart} columns={columns} rows={turns} rowKey={({ n }) => String(n)} />
    </div>
  );
}

function turnLink(session: string, n: number, label: string): ReactElement {
  return <Link href={pathTo("turn", { id: session, n: String(n) })}>{label}</Link>;
}
