import { type LedgerRow, type ModelMessage, provenance } from "@galley/engine";
import { type DescribeOptions, describeRow, rowSource } from "@galley/engine/proof";
import { ChevronDown, ChevronRight } from "lucide-react";
import {
  type KeyboardEvent,
  type ReactElement,
  type Ref,
  type RefObject,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
} from "react";
import { messageTexts } from "../i18n/message.ts";
import { useFormats, useLanguage, useText } from "../i18n/use-text.ts";
import { Button } from "../kit/button.tsx";
import { classes } from "../kit/classes.ts";
import { CopyButton } from "./copy-button.tsx";
import { jsonText } from "./message-blocks.ts";
import { MessageBody } from "./message-body.tsx";
import { nameOf, rowKey, sourceLook } from "./row-look.ts";
import { VirtualList, type VirtualListHandle, focusSoon } from "./virtual-list.tsx";

interface MessageListProps extends DescribeOptions {
  /** The names that people gave; what has none shows how it begins anyway. */
  readonly given?: ReadonlyMap<string, string> | undefined;
  readonly messages: readonly ModelMessage[];
  readonly ledger: readonly LedgerRow[];
  /** What scrolls. */
  readonly scroll: RefObject<HTMLElement | null>;
  /** Number of messages at the front that a provider may cache; a line is drawn behind them. */
  readonly stablePrefix?: number;
  /** The row (by `rowKey`) that has the pointer or the focus, here or elsewhere. */
  readonly linked?: string | undefined;
  readonly onLink?: (row: string | undefined) => void;
  /** The position of a message that somebody came for: it is open, and marked. */
  readonly marked?: number | undefined;
  readonly handle?: Ref<MessageListHandle>;
}

export interface MessageListHandle {
  /** Brings a message into sight and gives it the focus. */
  readonly goTo: (position: number) => void;
}

const noRows: readonly LedgerRow[] = [];

/** The messages of a build in the order in which they are sent; up and down arrows go from one to the next. */
export function MessageList(props: MessageListProps): ReactElement {
  const { messages, ledger, scroll, stablePrefix, linked, onLink, marked, handle, recipe, names, given } = props;
  const text = useText(messageTexts);
  const sources = useMemo(() => provenance(ledger), [ledger]);
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set(marked === undefined ? [] : [marked]));
  const list = useRef<VirtualListHandle>(null);
  const goTo = (position: number): void => {
    list.current?.scrollTo(position);
    focusSoon(scroll.current, `[data-message-button="${position}"]`);
  };
  useImperativeHandle(handle, () => ({ goTo }));
  const toggle = (position: number): void => {
    const next = new Set(open);
    if (!next.delete(position)) next.add(position);
    setOpen(next);
  };
  const onKeyDown = (event: KeyboardEvent, position: number): void => {
    const to = { ArrowDown: position + 1, ArrowUp: position - 1 }[event.key];
    if (to === undefined || to < 0 || to >= messages.length) return;
    event.preventDefault();
    goTo(to);
  };
  return (
    <VirtualList label={text.messages} items={messages} scroll={scroll} estimate={72} handle={list}>
      {(message, index) => {
        const rows = sources[index] ?? noRows;
        return (
          <>
            <MessageCard
              message={message}
              position={index}
              rows={rows}
              recipe={recipe}
              names={names}
              given={given}
              isOpen={open.has(index)}
              onToggle={() => toggle(index)}
              isMarked={index === marked}
              isLinked={linked !== undefined && rows.some((row) => rowKey(row) === linked)}
              onLink={(isOn) => onLink?.(isOn && rows[0] ? rowKey(rows[0]) : undefined)}
              onKeyDown={(event) => onKeyDown(event, index)}
            />
            {stablePrefix === index + 1 && index + 1 < messages.length && <PrefixEnd label={text.prefixEnds} />}
          </>
        );
      }}
    </VirtualList>
  );
}

function PrefixEnd({ label }: { readonly label: string }): ReactElement {
  return (
    <div className="flex items-center gap-3 border-b border-line px-3 py-1 text-xs text-good">
      <span className="h-px flex-1 bg-good" />
      {label}
      <span className="h-px flex-1 bg-good" />
    </div>
  );
}

interface MessageCardProps extends DescribeOptions, Pick<MessageListProps, "given"> {
  readonly message: ModelMessage;
  /** From 0. */
  readonly position: number;
  /** The rows of the ledger behind this message; none where the record has no ledger. */
  readonly rows: readonly LedgerRow[];
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  /** True while the step that it comes from has the pointer or the focus. */
  readonly isLinked?: boolean;
  readonly isMarked?: boolean;
  /** Called when the pointer or the focus comes and goes. */
  readonly onLink?: (isOn: boolean) => void;
  readonly onKeyDown?: (event: KeyboardEvent<HTMLButtonElement>) => void;
}

/** One message as it was sent: who says it, where it comes from, what it costs, what it says. */
function MessageCard(props: MessageCardProps): ReactElement {
  const { message, position, rows, isOpen, onToggle, isLinked, isMarked, onLink } = props;
  const text = useText(messageTexts);
  const [isRaw, setIsRaw] = useState(false);
  const [first] = rows;
  const edge = first ? sourceLook[rowSource(first)].edge : "border-l-edge";
  return (
    <article
      data-position={position}
      data-linked={isLinked || undefined}
      data-marked={isMarked || undefined}
      className={classes(
        "border-b border-l-4 border-b-line px-3 py-2",
        edge,
        isLinked && "bg-accent-soft",
        isMarked && "outline-2 -outline-offset-2 outline-accent",
      )}
      onPointerEnter={() => onLink?.(true)}
      onPointerLeave={() => onLink?.(false)}
    >
      <CardHead {...props} />
      {isOpen && isRaw ? (
        <pre className="max-h-96 overflow-auto rounded-sm bg-sunken p-2 font-mono text-xs whitespace-pre-wrap">
          {jsonText(message)}
        </pre>
      ) : (
        <MessageBody content={message.content} isFolded={!isOpen} />
      )}
      {isOpen && (
        <div className="mt-2 flex flex-wrap items-center gap-2">
          <RowSentences {...props} />
          <div className="ml-auto flex gap-1">
            <Button size="small" look="quiet" onPress={() => setIsRaw(!isRaw)}>
              {isRaw ? text.showText : text.showJson}
            </Button>
            <CopyButton text={() => jsonText(message)} label={text.copyJson} />
            <Button size="small" look="quiet" onPress={onToggle}>
              {text.showLess(position + 1)}
            </Button>
          </div>
        </div>
      )}
    </article>
  );
}

function CardHead(props: MessageCardProps): ReactElement {
  const { message, position, rows, isOpen, onToggle, onLink, onKeyDown } = props;
  const text = useText(messageTexts);
  const { number } = useFormats();
  const tokens = rows.every((row) => row.tokens === undefined)
    ? undefined
    : rows.reduce((sum, row) => sum + (row.tokens ?? 0), 0);
  const Icon = isOpen ? ChevronDown : ChevronRight;
  return (
    <button
      type="button"
      data-message-button={position}
      aria-expanded={isOpen}
      className="mb-1 flex w-full cursor-default items-baseline gap-2 rounded-sm text-left"
      onClick={onToggle}
      onKeyDown={onKeyDown}
      onFocus={() => onLink?.(true)}
      onBlur={() => onLink?.(false)}
    >
      <Icon aria-hidden size={12} className="shrink-0 self-center text-muted" />
      <span className="w-6 shrink-0 text-right text-xs text-muted tabular-nums">{position + 1}</span>
      <span className="shrink-0 font-mono font-semibold">{text.roles[message.role]}</span>
      <Origin {...props} />
      {tokens !== undefined && (
        <span className="ml-auto shrink-0 text-muted tabular-nums">
          {number(tokens)}
          <span className="sr-only"> {text.tokens("")}</span>
        </span>
      )}
    </button>
  );
}

function Origin({ rows, recipe, names, given }: MessageCardProps): ReactElement {
  const text = useText(messageTexts);
  const language = useLanguage();
  const [first, ...more] = rows;
  if (!first) return <span className="min-w-0 text-muted">{text.unknownSource}</span>;
  const { label, who } = describeRow(first, language, { recipe, names });
  const name = nameOf(first, given);
  return (
    <span className="min-w-0 text-muted" title={rows.map(({ id }) => id).join(" + ")}>
      {name !== undefined && <span className="font-medium text-ink">{name} · </span>}
      {first.kind === "generated" ? who : label}
      {more.length > 0 && ` ${text.moreSources(more.length)}`}
    </span>
  );
}

function RowSentences({ rows, recipe, names }: MessageCardProps): ReactElement {
  const language = useLanguage();
  return (
    <ul className="flex min-w-0 flex-1 flex-col gap-0.5 text-xs text-muted">
      {rows.map((row) => {
        const { sentence, toKeep } = describeRow(row, language, { recipe, names });
        return (
          <li key={`${row.kind} ${row.id}`}>
            {sentence}
            {toKeep && row.position !== undefined && ` ${toKeep}`}
          </li>
        );
      })}
    </ul>
  );
}
