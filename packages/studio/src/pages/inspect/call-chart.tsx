import { type KeyboardEvent, type ReactElement, useLayoutEffect, useMemo, useState } from "react";
import { Link } from "../../frame/location.tsx";
import { pathTo } from "../../frame/routes.ts";
import { inspectText } from "../../i18n/inspect.ts";
import { messageTexts } from "../../i18n/message.ts";
import { useFormats, useText } from "../../i18n/use-text.ts";
import { classes } from "../../kit/classes.ts";
import { Table, type TableColumn } from "../../kit/table.tsx";
import { sourceLook } from "../../message/row-look.ts";
import { type Column, type ColumnCall, columnWindow, stackedColumns } from "./stacked-columns.ts";

interface CallChartProps {
  readonly calls: readonly ColumnCall[];
  /** The number of the call that is shown. */
  readonly selected: number;
  readonly onSelect: (n: number) => void;
}

const height = 120;
const axis = 60;
const columnRoom = 22;
const maxRoom = 44;
const digitRoom = 8;

/** Tokens per call as stacked columns. The arrow keys choose a call; a table says the same in words. */
export function CallChart({ calls, selected, onSelect }: CallChartProps): ReactElement {
  const text = useText(inspectText);
  const { number } = useFormats();
  const [box, width] = useWidth();
  const at = calls.findIndex((call) => call.n === selected);
  const [from, to] = columnWindow(calls.length, at, Math.floor((width - axis) / columnRoom));
  const { columns, top, ticks } = useMemo(() => stackedColumns(calls.slice(from, to)), [calls, from, to]);
  const room = Math.min(maxRoom, (width - axis) / Math.max(1, columns.length));
  // Numbers of three digits would touch each other.
  const every = Math.ceil((String(to).length * digitRoom) / room);
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: calls.length - 1 }[event.key];
    const call = next === undefined ? undefined : calls[next];
    if (!call) return;
    event.preventDefault();
    onSelect(call.n);
  };
  return (
    <div ref={box} className="min-w-0">
      <svg
        role="listbox"
        aria-label={text.chart}
        aria-orientation="horizontal"
        aria-activedescendant={at < 0 ? undefined : `call-${selected}`}
        tabIndex={0}
        width={width}
        height={height + 34}
        className="block rounded-sm"
        onKeyDown={onKeyDown}
      >
        <g aria-hidden>
          {ticks.map((tick) => (
            <Tick key={tick} y={yOf(tick / top)} width={width} label={number(tick)} />
          ))}
        </g>
        {columns.map((column, index) => (
          <ColumnBar
            key={column.n}
            column={column}
            x={axis + index * room}
            room={room}
            isSelected={column.n === selected}
            hasLabel={column.n === selected || (column.n % every === 0 && Math.abs(column.n - selected) >= every)}
            onSelect={() => onSelect(column.n)}
          />
        ))}
      </svg>
      {columns.length < calls.length && (
        <p className="text-right text-2xs text-muted">
          {text.range(columns[0]?.n ?? 0, columns.at(-1)?.n ?? 0, calls.length)}
        </p>
      )}
    </div>
  );
}

function yOf(share: number): number {
  return 12 + height * (1 - share);
}

function Tick({ y, width, label }: { readonly y: number; readonly width: number; readonly label: string }) {
  return (
    <>
      <line x1={axis - 4} x2={width} y1={y} y2={y} className="stroke-line" />
      <text x={axis - 8} y={y + 3.5} textAnchor="end" className="fill-muted text-2xs tabular-nums">
        {label}
      </text>
    </>
  );
}

interface ColumnBarProps {
  readonly column: Column;
  readonly x: number;
  readonly room: number;
  readonly isSelected: boolean;
  readonly hasLabel: boolean;
  readonly onSelect: () => void;
}

function ColumnBar({ column, x, room, isSelected, hasLabel, onSelect }: ColumnBarProps): ReactElement {
  const text = useText(inspectText);
  const words = useText(messageTexts);
  const { number } = useFormats();
  const parts = column.segments.map(({ source, tokens }) => text.part(words.sources[source], number(tokens)));
  const label = text.column(column.n, number(column.inputTokens), parts.join(", "));
  const left = x + room * 0.15;
  const width = room * 0.7;
  const end = yOf(column.segments.at(-1)?.to ?? 0);
  return (
    // The list itself has the focus and the keys.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
    <g
      role="option"
      id={`call-${column.n}`}
      aria-selected={isSelected}
      aria-label={column.compacted ? text.compactedColumn(label) : label}
      className="group cursor-pointer"
      onClick={onSelect}
    >
      <title>{column.compacted ? text.compactedColumn(label) : label}</title>
      <rect
        x={x}
        y={2}
        width={room}
        height={height + 30}
        rx={3}
        className={isSelected ? "fill-accent-soft" : "fill-transparent group-hover:fill-sunken"}
      />
      {column.segments.map(({ source, from, to }) => (
        <rect
          key={source}
          x={left}
          y={yOf(to)}
          width={width}
          height={Math.max(1, (to - from) * height)}
          className={sourceLook[source].fill}
        />
      ))}
      {column.compacted && (
        <path d={`M${x + room / 2 - 4} ${end - 10}h8l-4 7z`} className="fill-warn" data-compacted={column.n} />
      )}
      <text
        x={x + room / 2}
        y={height + 26}
        textAnchor="middle"
        className={classes("text-2xs tabular-nums", isSelected ? "fill-accent font-semibold" : "fill-muted")}
      >
        {hasLabel && column.n}
      </text>
    </g>
  );
}

/** The width of an element, as it is now. */
function useWidth(): readonly [(element: HTMLDivElement | null) => void, number] {
  const [element, setElement] = useState<HTMLDivElement | null>(null);
  const [width, setWidth] = useState(320);
  useLayoutEffect(() => {
    if (!element) return;
    const observer = new ResizeObserver(([entry]) => {
      const now = Math.floor(entry?.contentRect.width ?? 0);
      if (now > 0) setWidth(now);
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [element]);
  return [setElement, width];
}

interface CallTableProps {
  readonly session: string;
  readonly calls: readonly ColumnCall[];
}

/** What the chart draws, in words and numbers. */
export function CallTable({ session, calls }: CallTableProps): ReactElement {
  const text = useText(inspectText);
  const words = useText(messageTexts);
  const columns: readonly TableColumn<ColumnCall>[] = [
    {
      label: text.calls,
      cell: ({ n }) => <Link href={pathTo("call", { id: session, n: String(n) })}>{text.call(n)}</Link>,
    },
    { label: text.tokens, isNumber: true, cell: (call) => call.inputTokens },
    ...stackedColumns(calls).sources.map((source) => ({
      label: words.sources[source],
      isNumber: true,
      isExtra: true,
      cell: (call: ColumnCall) => call.bySource[source] ?? 0,
    })),
    { label: text.compacted, cell: ({ compacted }) => (compacted ? "✓" : "") },
  ];
  return (
    <div className="max-h-64 overflow-y-auto">
      <Table label={text.chart} columns={columns} rows={calls} rowKey={({ n }) => String(n)} />
    </div>
  );
}
