import { useVirtualizer } from "@tanstack/react-virtual";
import { ArrowDown, ArrowUp } from "lucide-react";
import {
  type KeyboardEvent,
  type ReactElement,
  type SetStateAction,
  useCallback,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from "react";
import type { EntryQuery, EntrySort, LoreEntry } from "../../../document/lore-entries.ts";
import { lorebookText } from "../../../i18n/lorebook.ts";
import { useText } from "../../../i18n/use-text.ts";
import { classes } from "../../../kit/classes.ts";
import { Checkbox } from "../../../kit/fields.tsx";
import { focusSoon } from "../../../message/virtual-list.tsx";
import { useEditor, useView } from "../state/editor-state.ts";
import { EntryRow, columnsLook } from "./entry-row.tsx";
import type { EntryActions } from "./use-entries.ts";

export interface EntryGridProps {
  readonly entries: readonly LoreEntry[];
  readonly query: EntryQuery;
  readonly onQuery: (query: EntryQuery) => void;
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (change: SetStateAction<ReadonlySet<string>>) => void;
  readonly tokensOf: (entry: LoreEntry) => number;
  readonly actions: EntryActions;
}

const rowHeight = 49;
const pageRows = 10;

/** The table. Only the rows in sight stand in the page; arrow keys go through all of them. */
export function EntryGrid(props: EntryGridProps): ReactElement {
  const { entries, selected, onSelect, tokensOf, actions } = props;
  const text = useText(lorebookText);
  const open = useView((state) => state.openStep);
  const pane = useRef<HTMLDivElement>(null);
  // No compiler memoizes this component, and what the virtualizer gives is read in each render.
  // oxlint-disable-next-line react/incompatible-library
  const virtualizer = useVirtualizer({
    count: entries.length,
    getScrollElement: () => pane.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => entries[index]?.key ?? index,
    overscan: 4,
  });
  useShowOpen(entries, open, (index) => virtualizer.scrollToIndex(index, { align: "center" }));
  const toggle = useCallback((key: string) => onSelect((before) => toggled(before, key)), [onSelect]);
  const { active, setActive, onKeyDown } = useRowKeys(entries, toggle, (row) => {
    virtualizer.scrollToIndex(row, { align: "auto" });
    focusSoon(pane.current, `[data-row="${row}"]`);
  });
  return (
    // The keys are those of its rows, which have the focus.
    // oxlint-disable-next-line jsx-a11y/interactive-supports-focus
    <div
      role="grid"
      aria-label={text.entries}
      aria-rowcount={entries.length + 1}
      aria-multiselectable
      onKeyDown={onKeyDown}
      className="flex min-h-0 flex-1 flex-col"
    >
      <GridHead {...props} />
      <div ref={pane} role="rowgroup" className="min-h-0 flex-1 overflow-y-auto">
        <div role="presentation" className="relative" style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map(({ index, key, start }) => (
            <div
              key={key}
              ref={virtualizer.measureElement}
              role="presentation"
              data-index={index}
              className="absolute inset-x-0 top-0"
              style={{ transform: `translateY(${start}px)` }}
            >
              <EntryRow
                entry={entries[index] as LoreEntry}
                row={index}
                isActive={index === active}
                isSelected={selected.has(String(key))}
                isOpen={key === open}
                onToggle={toggle}
                onActive={setActive}
                tokensOf={tokensOf}
                actions={actions}
              />
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}

interface RowKeys {
  /** The row that the Tab key comes to. */
  readonly active: number;
  readonly setActive: (row: number) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

/** Arrows go from row to row, Space selects one, Enter opens it. */
function useRowKeys(
  entries: readonly LoreEntry[],
  toggle: (key: string) => void,
  focusRow: (row: number) => void,
): RowKeys {
  const { view } = useEditor();
  const [current, setActive] = useState(0);
  const last = entries.length - 1;
  const active = Math.max(0, Math.min(current, last));
  const go = (row: number): void => {
    const next = Math.max(0, Math.min(row, last));
    setActive(next);
    focusRow(next);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const key = entries[active]?.key;
    const isOnRow = event.target instanceof HTMLElement && event.target.dataset["row"] !== undefined;
    if (!isOnRow || key === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const steps: Readonly<Record<string, () => void>> = {
      ArrowDown: () => go(active + 1),
      ArrowUp: () => go(active - 1),
      PageDown: () => go(active + pageRows),
      PageUp: () => go(active - pageRows),
      Home: () => go(0),
      End: () => go(last),
      " ": () => toggle(key),
      Enter: () => view.setState(({ openStep }) => ({ openStep: openStep === key ? undefined : key })),
    };
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    step();
  };
  return { active, setActive, onKeyDown };
}

function toggled(before: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(before);
  if (!next.delete(key)) next.add(key);
  return next;
}

/** Brings the entry into sight that was opened elsewhere, or added. */
function useShowOpen(entries: readonly LoreEntry[], open: string | undefined, show: (index: number) => void): void {
  const index = open === undefined ? -1 : entries.findIndex(({ key }) => key === open);
  const bring = useEffectEvent(show);
  const isThere = index >= 0;
  useEffect(() => {
    if (isThere) bring(index);
    // Only when another is opened, not when it moves.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [open, isThere]);
}

const headings = ["select", "on", "name", "keys", "position", "order", "tokens"] as const;
type Heading = (typeof headings)[number];

/** The columns that the table can be sorted by. */
const sorts: Readonly<Partial<Record<Heading, EntrySort>>> = { name: "name", order: "order", tokens: "tokens" };

function GridHead({ entries, selected, onSelect, query, onQuery }: EntryGridProps): ReactElement {
  const text = useText(lorebookText);
  const isAll = entries.length > 0 && entries.every(({ key }) => selected.has(key));
  const selectAll = (isOn: boolean): void => onSelect(new Set(isOn ? entries.map(({ key }) => key) : []));
  return (
    <div role="rowgroup" className="shrink-0 border-b border-line bg-sunken text-xs text-muted">
      <div role="row" aria-rowindex={1} className={columnsLook}>
        {headings.map((name) => (
          <div
            key={name}
            role="columnheader"
            aria-sort={query.sort === sorts[name] ? (query.isFalling ? "descending" : "ascending") : undefined}
            className={classes(
              "py-1.5",
              (name === "keys" || name === "order") && "max-lg:hidden",
              (name === "order" || name === "tokens") && "text-right",
            )}
          >
            {name === "select" ? (
              <Checkbox aria-label={text.selectAll} isSelected={isAll} onChange={selectAll} />
            ) : (
              <SortButton name={name} query={query} onQuery={onQuery} />
            )}
          </div>
        ))}
      </div>
    </div>
  );
}

interface SortButtonProps {
  readonly name: Exclude<Heading, "select">;
  readonly query: EntryQuery;
  readonly onQuery: (query: EntryQuery) => void;
}

/** Rising, falling, and back to the order of the list. */
function SortButton({ name, query, onQuery }: SortButtonProps): ReactElement {
  const text = useText(lorebookText);
  const label = text.columns[name];
  const sort = sorts[name];
  if (sort === undefined) return <span>{label}</span>;
  const isCurrent = query.sort === sort;
  const isLast = isCurrent && query.isFalling;
  const Arrow = query.isFalling ? ArrowDown : ArrowUp;
  return (
    <button
      type="button"
      aria-label={text.sortBy(label)}
      onClick={() => onQuery({ ...query, sort: isLast ? "list" : sort, isFalling: isCurrent && !isLast })}
      className="inline-flex items-center gap-1 rounded hover:text-ink"
    >
      {label}
      {isCurrent && <Arrow aria-hidden size={12} />}
    </button>
  );
}
