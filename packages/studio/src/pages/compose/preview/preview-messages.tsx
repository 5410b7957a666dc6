import type { LedgerRow } from "@galley/engine";
import type { MessageRole } from "@galley/engine/messages";
import { type TokenSource, describeRow, rowSource } from "@galley/engine/proof";
import {
  type KeyboardEvent,
  type ReactElement,
  memo,
  useEffect,
  useEffectEvent,
  useMemo,
  useRef,
  useState,
} from "react";
import { maskSecrets } from "../../../document/mask-secrets.ts";
import { presetCallNames, presetNames } from "../../../document/preset-names.ts";
import { messageTexts } from "../../../i18n/message.ts";
import { composeText } from "../../../i18n/compose.ts";
import { useFormats, useLanguage, useText } from "../../../i18n/use-text.ts";
import { classes } from "../../../kit/classes.ts";
import { nameOf, sourceLook } from "../../../message/row-look.ts";
import { messageText } from "../../../message/message-blocks.ts";
import { useVirtualizer } from "@tanstack/react-virtual";
import { recipeName, useDocument, useLink, usePreview, useView } from "../state/editor-state.ts";

/** The messages as they would be sent. Only those in sight are in the page. */
export function PreviewMessages(): ReactElement {
  const text = useText(composeText);
  const build = usePreview((state) => state.preview?.build);
  const isOld = usePreview((state) => state.error !== undefined);
  const count = build?.messages.length ?? 0;
  const pane = useRef<HTMLDivElement>(null);
  // What it gives changes without telling React, so that nothing made of it may be remembered; nothing here is.
  // oxlint-disable-next-line react/incompatible-library
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => pane.current,
    estimateSize: () => 72,
    overscan: 2,
  });
  const [current, setCurrent] = useState(0);
  const active = Math.min(current, Math.max(0, count - 1));
  const link = useLink("message");
  useFollowLink((index) => virtualizer.scrollToIndex(index, { align: "auto" }));
  const move = (event: KeyboardEvent): void => {
    const next = { ArrowDown: active + 1, ArrowUp: active - 1, Home: 0, End: count - 1 }[event.key];
    if (next === undefined || next < 0 || next >= count) return;
    event.preventDefault();
    setCurrent(next);
    virtualizer.scrollToIndex(next, { align: "auto" });
    requestAnimationFrame(() => pane.current?.querySelector<HTMLElement>(`[data-message="${next}"]`)?.focus());
  };
  return (
    <div ref={pane} className={classes("relative min-h-0 flex-1 overflow-y-auto", isOld && "opacity-60")}>
      <div
        role="listbox"
        tabIndex={-1}
        aria-label={text.preview}
        onKeyDown={move}
        className="relative w-full"
        style={{ height: `${virtualizer.getTotalSize()}px` }}
      >
        {virtualizer.getVirtualItems().map(({ index, start }) => (
          <PreviewMessage
            key={index}
            index={index}
            count={count}
            start={start}
            isActive={index === active}
            measure={virtualizer.measureElement}
            onLink={(isOn) => {
              if (isOn) setCurrent(index);
              link(index, isOn);
            }}
          />
        ))}
      </div>
    </div>
  );
}

/** Brings the message of the step that is pointed at into view. */
function useFollowLink(scrollTo: (index: number) => void): void {
  const target = useView((state) => (state.linkedFrom === "step" ? state.linkedMessage : undefined));
  const scroll = useEffectEvent(scrollTo);
  useEffect(() => {
    if (target !== undefined) scroll(target);
  }, [target]);
}

interface PreviewMessageProps {
  readonly index: number;
  readonly count: number;
  readonly start: number;
  /** The one that the Tab key comes to. */
  readonly isActive: boolean;
  readonly measure: (element: HTMLElement | null) => void;
  readonly onLink: (isOn: boolean) => void;
}

const maxShownLength = 4000;

function PreviewMessageRow({
  index,
  count,
  start,
  isActive,
  measure,
  onLink,
}: PreviewMessageProps): ReactElement | null {
  const text = useText(composeText);
  const message = usePreview((state) => state.preview?.build.messages[index]);
  const isLinked = useView((state) => state.linkedMessage === index);
  const isEnd = usePreview((state) => isPrefixEnd(state.preview?.build.stablePrefix, index, count));
  const source = usePreview((state) => sourceOf(state.preview?.rows[index]?.[0]));
  const shown = useShownText(message?.content);
  if (!message) return null;
  return (
    <div
      ref={measure}
      role="presentation"
      data-index={index}
      className="absolute inset-x-0 top-0"
      style={{ transform: `translateY(${start}px)` }}
    >
      <div
        role="option"
        aria-selected={isActive}
        aria-setsize={count}
        aria-posinset={index + 1}
        tabIndex={isActive ? 0 : -1}
        data-message={index}
        data-linked={isLinked || undefined}
        onMouseEnter={() => onLink(true)}
        onMouseLeave={() => onLink(false)}
        onFocus={() => onLink(true)}
        onBlur={() => onLink(false)}
        className={classes("group focus-visible:-outline-offset-2", isLinked && "bg-accent-soft")}
      >
        <div className={classes("border-b border-l-4 border-b-line px-3 py-2", sourceLook[source].edge)}>
          <MessageHead index={index} role={message.role} />
          <p className="line-clamp-3 font-mono text-xs whitespace-pre-wrap group-focus:line-clamp-none">{shown}</p>
        </div>
        {isEnd && (
          <div className="flex items-center gap-3 px-3 py-1.5 text-2xs text-good" data-testid="prefix-end">
            <span aria-hidden className="h-px flex-1 bg-good" />
            {text.prefixEnds}
            <span aria-hidden className="h-px flex-1 bg-good" />
          </div>
        )}
      </div>
    </div>
  );
}

/** An edit redraws only the messages that it changed. */
const PreviewMessage = memo(
  PreviewMessageRow,
  (a, b) => a.index === b.index && a.count === b.count && a.start === b.start && a.isActive === b.isActive,
);

function isPrefixEnd(stablePrefix: number | undefined, index: number, count: number): boolean {
  return stablePrefix !== undefined && index === stablePrefix - 1 && stablePrefix < count;
}

function sourceOf(row: LedgerRow | undefined): TokenSource {
  return row ? rowSource(row) : "history";
}

function useShownText(content: unknown): string {
  const showsSecrets = useView((state) => state.showsSecrets);
  return useMemo(() => {
    const whole = messageText(content);
    const cut = whole.length > maxShownLength ? `${whole.slice(0, maxShownLength)}…` : whole;
    return showsSecrets ? cut : maskSecrets(cut);
  }, [content, showsSecrets]);
}

/** Role, where it comes from, and what it costs. */
function MessageHead({ index, role }: { readonly index: number; readonly role: MessageRole }): ReactElement {
  const text = useText(composeText);
  const { roles } = useText(messageTexts);
  const formats = useFormats();
  const language = useLanguage();
  const rows = usePreview((state) => state.preview?.rows[index]);
  const recipe = usePreview((state) => recipeName(state.preview?.build.recipe?.recipe));
  const given = useDocument((state) => presetNames(state.preset));
  const names = useDocument((state) => presetCallNames(state.preset, text.kinds));
  const tokens = (rows ?? []).reduce((sum, row) => sum + (row.tokens ?? 0), 0);
  const origins = (rows ?? []).map((row) => ({
    ...describeRow(row, language, { recipe, names }),
    id: row.id,
    name: nameOf(row, given),
  }));
  return (
    <div className="flex items-baseline gap-2 text-xs">
      <span className="shrink-0 font-mono font-semibold">{roles[role]}</span>
      <span
        className="min-w-0 flex-1 truncate text-muted"
        title={origins.map(({ id, sentence }) => `${sentence} (${id})`).join("\n")}
      >
        {origins.map(({ name, label }) => (name === undefined ? label : `${name} · ${label}`)).join(" + ")}
      </span>
      <span className="shrink-0 text-muted tabular-nums" title={text.tokens(formats.number(tokens))}>
        {formats.number(tokens)}
      </span>
    </div>
  );
}
