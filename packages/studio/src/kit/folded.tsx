import { type ReactElement, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { frameText } from "../i18n/frame.ts";
import { useText } from "../i18n/use-text.ts";
import { Button } from "./button.tsx";
import { classes } from "./classes.ts";

interface FoldedProps {
  /** A dozen lines instead of three. */
  readonly isTall?: boolean;
  readonly children: ReactNode;
}

/** Something that may be long: its beginning, which fades where it is cut, and a button for all of it. */
export function Folded({ isTall = false, children }: FoldedProps): ReactElement {
  const text = useText(frameText);
  const id = useId();
  const [isOpen, setIsOpen] = useState(false);
  const [isLong, setIsLong] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isOpen || !box.current || !inner.current) return undefined;
    const [outside, inside] = [box.current, inner.current];
    // Text that is set later, such as Markdown, makes it longer.
    const observer = new ResizeObserver(() => setIsLong(inside.offsetHeight > outside.clientHeight + 1));
    observer.observe(inside);
    return () => observer.disconnect();
  }, [isOpen]);
  return (
    <div className="flex flex-col items-start gap-1">
      <div
        ref={box}
        id={id}
        className={classes(
          "w-full min-w-0",
          !isOpen && (isTall ? "max-h-60 overflow-hidden" : "max-h-16 overflow-hidden"),
          !isOpen && isLong && "mask-b-from-60%",
        )}
      >
        <div ref={inner}>{children}</div>
      </div>
      {isLong && (
        <Button size="small" look="quiet" aria-expanded={isOpen} aria-controls={id} onPress={() => setIsOpen(!isOpen)}>
          {isOpen ? text.showLess : text.showAll}
        </Button>
      )}
    </div>
  );
}
