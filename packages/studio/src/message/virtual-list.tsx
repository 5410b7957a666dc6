import { useVirtualizer } from "@tanstack/react-virtual";
import {
  type ReactElement,
  type Ref,
  type RefObject,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from "react";

export interface VirtualListHandle {
  /** Brings an item into sight. */
  readonly scrollTo: (index: number, align?: "start" | "center" | "auto") => void;
}

interface VirtualListProps<Item> {
  readonly label: string;
  readonly items: readonly Item[];
  /** What scrolls; the list may stand below other things in it. */
  readonly scroll: RefObject<HTMLElement | null>;
  /** A guess of an item's height, in pixels. */
  readonly estimate: number;
  /** The place in the list, unless something else names an item. */
  readonly itemKey?: (item: Item, index: number) => string;
  readonly children: (item: Item, index: number) => ReactElement;
  readonly handle?: Ref<VirtualListHandle>;
}

/** A list of which only what is in sight stands in the page. */
export function VirtualList<Item>(props: VirtualListProps<Item>): ReactElement {
  const { label, items, scroll, estimate, itemKey, children, handle } = props;
  const list = useRef<HTMLDivElement>(null);
  const top = useTopWithin(list, scroll);
  // No compiler memoizes this component, and what the virtualizer gives is read in each render.
  // oxlint-disable-next-line react/incompatible-library
  const virtualizer = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => estimate,
    getItemKey: (index) => itemKey?.(items[index] as Item, index) ?? index,
    overscan: 6,
    scrollMargin: top,
  });
  useImperativeHandle(handle, () => ({
    scrollTo: (index, align = "auto") => virtualizer.scrollToIndex(index, { align }),
  }));
  return (
    <div
      ref={list}
      role="list"
      aria-label={label}
      className="relative w-full"
      style={{ height: virtualizer.getTotalSize() }}
    >
      {virtualizer.getVirtualItems().map(({ index, key, start }) => (
        <div
          key={key}
          ref={virtualizer.measureElement}
          data-index={index}
          role="listitem"
          aria-posinset={index + 1}
          aria-setsize={items.length}
          className="absolute top-0 left-0 w-full"
          style={{ transform: `translateY(${start - top}px)` }}
        >
          {children(items[index] as Item, index)}
        </div>
      ))}
    </div>
  );
}

/** How far below the top of what scrolls the list begins; what stands above it may change its height. */
function useTopWithin(list: RefObject<HTMLElement | null>, scroll: RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const outer = scroll.current;
    if (!outer) return;
    const measure = (): void => {
      const inner = list.current;
      if (inner)
        setTop(Math.round(inner.getBoundingClientRect().top - outer.getBoundingClientRect().top + outer.scrollTop));
    };
    const observer = new ResizeObserver(measure);
    observer.observe(outer);
    for (const child of outer.children) observer.observe(child);
    measure();
    return () => observer.disconnect();
  }, [list, scroll]);
  return top;
}

// A list that is measured as it scrolls needs a few frames until what was asked for stands in the page.
const maxFrames = 20;

/** Gives the focus to what the selector finds within an element, as soon as it is rendered. */
export function focusSoon(within: HTMLElement | null, selector: string, frame = 0): void {
  if (!within || frame > maxFrames) return;
  requestAnimationFrame(() => {
    const found = within.querySelector<HTMLElement>(selector);
    if (found) found.focus({ preventScroll: true });
    else focusSoon(within, selector, frame + 1);
  });
}
