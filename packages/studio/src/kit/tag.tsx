import type { ReactElement, ReactNode } from "react";
import { classes } from "./classes.ts";

type Tone = "plain" | "accent" | "good" | "warn" | "bad" | "anchor" | "depth";

const tones: Readonly<Record<Tone, string>> = {
  plain: "border-edge text-muted",
  accent: "border-accent text-accent",
  good: "border-good text-good",
  warn: "border-warn text-warn",
  bad: "border-bad text-bad",
  anchor: "border-source-anchor text-source-anchor",
  depth: "border-source-depth text-source-depth",
};

export interface TagProps {
  readonly tone?: Tone;
  /** Dashed and grey: the value is inherited, not set here. */
  readonly isInherited?: boolean;
  readonly mono?: boolean;
  readonly children: ReactNode;
}

export function Tag({ tone = "plain", isInherited, mono, children }: TagProps): ReactElement {
  const look = isInherited
    ? "border-dashed border-edge text-muted"
    : classes(tones[tone], tone !== "plain" && "font-medium");
  return (
    <span
      className={classes(
        "inline-flex max-w-full items-center gap-1 rounded border bg-canvas px-1.5 py-px text-xs whitespace-nowrap",
        look,
        mono && "font-mono",
      )}
    >
      {children}
    </span>
  );
}
