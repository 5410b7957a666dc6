import { type RefObject, useLayoutEffect, useRef } from "react";

const nearEnd = 120;

/** Keeps the end in sight as it grows, unless somebody has scrolled up to read. */
export function useStickToEnd(...growing: readonly unknown[]): RefObject<HTMLDivElement | null> {
  const scroll = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useLayoutEffect(() => {
    const element = scroll.current;
    if (!element) return;
    const onScroll = (): void => {
      isAtEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < nearEnd;
    };
    element.addEventListener("scroll", onScroll, { passive: true });
    return () => element.removeEventListener("scroll", onScroll);
  }, []);
  useLayoutEffect(() => {
    if (isAtEnd.current) scroll.current?.scrollTo({ top: scroll.current.scrollHeight });
    // oxlint-disable-next-line react/exhaustive-deps -- whatever grows is given by the caller
  }, growing);
  return scroll;
}
