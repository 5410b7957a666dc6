import type { ReactElement, ReactNode } from "react";
import { useFormats } from "../i18n/use-text.ts";
import { classes } from "./classes.ts";

export interface TableColumn<Row> {
  /** Each column has another. */
  readonly label: string;
  /** A number is written as the language writes it. */
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
  const { number } = useFormats();
  const cellOf = ({ cell }: TableColumn<Row>, row: Row): ReactNode => {
    const shown = cell(row);
    return typeof shown === "number" ? number(shown) : shown;
  };
  return (
    <table aria-label={label} className="w-full border-collapse">
      <thead>
        <tr className="border-b border-line text-xs text-muted">
          {columns.map((column) => (
            <th key={column.label} scope="col" className={classes(look(column), "font-medium md:whitespace-nowrap")}>
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
                  key={column.label}
                  scope="row"
                  className={classes(look(column), "font-normal [overflow-wrap:break-word]")}
                >
                  {cellOf(column, row)}
                </th>
              ) : (
                <td key={column.label} className={classes(look(column), column.isNumber && "whitespace-nowrap")}>
                  {cellOf(column, row)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
