import { type LedgerRow, type ModelMessage, provenance } from "@galley/engine";
import type { DescribeOptions } from "@galley/engine/proof";
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
import { useText } from "../i18n/use-text.ts";
import { focusSoon } from "./focus-soon.ts";
import { MessageCard } from "./message-card.tsx";
import { rowKey } from "./row-key.ts";
import { VirtualList, type VirtualListHandle } from "./virtual-list.tsx";

export interface MessageListProps extends DescribeOptions {
  readonly messages: readonly ModelMessage[];
  readonly ledger: readonly LedgerRow[];
  /** What scrolls. */
  readonly scroll: RefObject<HTMLElement | null>;
  /** Number of messages at the front that a provider may cache; a line is drawn behind them. */
  readonly stablePrefix?: number;
  /** The row (by `rowKey`) that has the pointer or the focus, here or elsewhere. */
  readonly linked?: string | undefined;
  readonly onLink?: (row: string | undefined) => void;
  readonly handle?: Ref<MessageListHandle>;
}

export interface MessageListHandle {
  /** Brings a message into sight and gives it the focus. */
  readonly goTo: (position: number) => void;
}

const noRows: readonly LedgerRow[] = [];

/** The messages of a build in the order in which they are sent; up and down arrows go from one to the next. */
export function MessageList(props: MessageListProps): ReactElement {
  const { messages, ledger, scroll, stablePrefix, linked, onLink, handle, recipe, names } = props;
  const text = useText(messageTexts);
  const sources = useMemo(() => provenance(ledger), [ledger]);
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
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
    <VirtualList
      label={text.messages}
      count={messages.length}
      scroll={scroll}
      estimate={72}
      itemKey={(index) => index}
      handle={list}
    >
      {(index) => {
        const message = messages[index];
        const rows = sources[index] ?? noRows;
        if (!message) return <span />;
        return (
          <>
            <MessageCard
              message={message}
              position={index}
              rows={rows}
              recipe={recipe}
              {...(names && { names })}
              isOpen={open.has(index)}
              onToggle={() => toggle(index)}
              isLinked={linked !== undefined && rows.some((row) => rowKey(row) === linked)}
              onLink={(isOn) => onLink?.(isOn && rows[0] ? rowKey(rows[0]) : undefined)}
              onKeyDown={(event) => onKeyDown(event, index)}
            />
            {stablePrefix === index + 1 && index + 1 < messages.length && <PrefixEnd label={text.cacheEnds} />}
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
