import { type KeyboardEvent, type ReactElement, useEffect, useEffectEvent, useRef, useState } from "react";
import { stepIndexOf } from "../../../document/shown-steps.ts";
import { composeText } from "../../../i18n/compose.ts";
import { useText } from "../../../i18n/use-text.ts";
import { classes } from "../../../kit/classes.ts";
import { useEditor, usePreview, useView } from "../state/editor-state.ts";
import { PreviewMessage } from "./preview-message.tsx";
import { useRows } from "./use-rows.ts";

/** The messages as they would be sent. Only those in sight are in the page. */
export function PreviewMessages(): ReactElement {
  const text = useText(composeText);
  const build = usePreview((state) => state.preview?.build);
  const isOld = usePreview((state) => state.error !== undefined);
  const count = build?.messages.length ?? 0;
  const pane = useRef<HTMLDivElement>(null);
  const virtualizer = useRows(pane, count, 72);
  const [current, setCurrent] = useState(0);
  const active = Math.min(current, Math.max(0, count - 1));
  const link = useMessageLink();
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

/** Ties a message to the step that it comes from while it is pointed at. */
function useMessageLink(): (index: number, isOn: boolean) => void {
  const { view, preview } = useEditor();
  return (index, isOn) => {
    if (isOn) {
      const rows = preview.store.getState().preview?.rows[index] ?? [];
      const steps = rows.flatMap((row) => (row.kind === "step" ? [stepIndexOf(row.path)] : []));
      view.setState({ linkedStep: steps[0], linkedMessage: index, linkedFrom: "message" });
    } else if (view.getState().linkedMessage === index) {
      view.setState({ linkedStep: undefined, linkedMessage: undefined, linkedFrom: undefined });
    }
  };
}

/** Brings the message of the step that is pointed at into view. */
function useFollowLink(scrollTo: (index: number) => void): void {
  const target = useView((state) => (state.linkedFrom === "step" ? state.linkedMessage : undefined));
  const scroll = useEffectEvent(scrollTo);
  useEffect(() => {
    if (target !== undefined) scroll(target);
  }, [target]);
}
