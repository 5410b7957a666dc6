import type { ReactElement, ReactNode } from "react";
import { classes } from "./classes.ts";

export interface TableColumn<Row> {
  readonly id: string;
  readonly label: string;
  readonly cell: (row: Row) => ReactNode;
  readonly isNumber?: boolean;
  /** Left out on narrow screens. */
  readonly isExtra?: boolean;
  /** Buttons say themselves what they do: the label is only read out. */
  readonly isActions?: boolean;
}

export interface TableProps<Row> {
  readonly label: string;
  readonly columns: readonly TableColumn<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
}

/** A plain table for reading; the first column heads its row. */
export function Table<Row>({ label, columns, rows, rowKey }: TableProps<Row>): ReactElement {
  const look = (column: TableColumn<Row>): string =>
    classes(
      "px-2 py-1.5 text-left align-middle",
      column.isNumber && "text-right tabular-nums",
      column.isActions && "w-px whitespace-nowrap",
      column.isExtra && "max-md:hidden",
    );
  return (
    <table aria-label={label} className="w-full border-collapse">
      <thead>
        <tr className="border-b border-line text-xs text-muted">
          {columns.map((column) => (
            <th key={column.id} scope="col" className={classes(look(column), "font-medium md:whitespace-nowrap")}>
              {column.isActions ? <span className="sr-only">{column.label}</span> : column.label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={rowKey(row)} className="border-b border-line">
            {columns.map((column, index) =>
              index === 0 ? (
                <th
                  key={column.id}
                  scope="row"
                  className={classes(look(column), "font-normal [overflow-wrap:break-word]")}
                >
                  {column.cell(row)}
                </th>
              ) : (
                <td key={column.id} className={classes(look(column), column.isNumber && "whitespace-nowrap")}>
                  {column.cell(row)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
