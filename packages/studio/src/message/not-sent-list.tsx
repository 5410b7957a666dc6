import type { LedgerRow } from "@galley/engine";
import { type DescribeOptions, describeRow, rowSource } from "@galley/engine/proof";
import type { ReactElement, RefObject } from "react";
import { messageTexts, notSentText } from "../i18n/message.ts";
import { useFormats, useLanguage, useText } from "../i18n/use-text.ts";
import { classes } from "../kit/classes.ts";
import { rowKey, sourceLook } from "./row-look.ts";
import { VirtualList } from "./virtual-list.tsx";

export interface NotSentListProps extends DescribeOptions {
  /** The rows that were left out: see `notSentRows`. */
  readonly rows: readonly LedgerRow[];
  readonly scroll: RefObject<HTMLElement | null>;
}

/** What was considered and is not among the messages; anchors have no text of their own that could be missed. */
export function notSentRows(ledger: readonly LedgerRow[]): readonly LedgerRow[] {
  return ledger.filter((row) => row.position === undefined && row.fate !== "anchor");
}

/** How many messages these rows stand for. */
export function countRows(rows: readonly LedgerRow[]): number {
  return rows.reduce((sum, row) => sum + (row.count ?? 1), 0);
}

/** Every input that was left out, why, and what keeps it. */
export function NotSentList({ rows, scroll, recipe, names }: NotSentListProps): ReactElement {
  const text = useText(notSentText);
  const words = useText(messageTexts);
  const language = useLanguage();
  const { number } = useFormats();
  if (rows.length === 0) return <p className="p-4 text-muted">{text.nothing}</p>;
  return (
    <VirtualList
      label={text.title}
      items={rows}
      scroll={scroll}
      estimate={64}
      itemKey={(row, index) => `${index} ${rowKey(row)}`}
    >
      {(row) => {
        const { who, because, toKeep } = describeRow(row, language, { recipe, names });
        return (
          <div className={classes("border-b border-l-4 border-b-line px-3 py-2", sourceLook[rowSource(row)].edge)}>
            <p className="flex items-baseline gap-2">
              <span className="font-medium">{who}</span>
              {row.tokens !== undefined && (
                <span className="ml-auto shrink-0 text-muted tabular-nums">{words.tokens(number(row.tokens))}</span>
              )}
            </p>
            <p className="text-muted">{text.because(because ?? "")}</p>
            {toKeep && <p className="text-muted">{text.toKeep(toKeep)}</p>}
          </div>
        );
      }}
    </VirtualList>
  );
}
