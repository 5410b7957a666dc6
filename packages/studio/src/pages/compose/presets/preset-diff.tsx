import type { Preset } from "@galley/engine";
import { diffLines } from "diff";
import { type ReactElement, useMemo } from "react";
import { composeText } from "../../../i18n/compose.ts";
import { useText } from "../../../i18n/use-text.ts";
import { classes } from "../../../kit/classes.ts";

export interface PresetDiffProps {
  readonly before: Preset;
  readonly after: Preset;
  readonly beforeLabel: string;
  readonly afterLabel: string;
}

interface DiffLine {
  readonly key: string;
  readonly mark: "-" | "+" | " ";
  readonly text: string;
}

const around = 2;

/** Lines that differ, with two lines around them. */
function changedLines(before: Preset, after: Preset): readonly DiffLine[] {
  const all: DiffLine[] = [];
  for (const { added, removed, value } of diffLines(JSON.stringify(before, null, 2), JSON.stringify(after, null, 2))) {
    const mark = added ? "+" : removed ? "-" : " ";
    for (const text of value.replace(/\n$/, "").split("\n")) all.push({ key: `${all.length}`, mark, text });
  }
  return all.filter((_, index) =>
    all.slice(Math.max(0, index - around), index + around + 1).some(({ mark }) => mark !== " "),
  );
}

/** What differs between two presets, as lines of their JSON. */
export function PresetDiff({ before, after, beforeLabel, afterLabel }: PresetDiffProps): ReactElement {
  const text = useText(composeText);
  const lines = useMemo(() => changedLines(before, after), [before, after]);
  if (lines.length === 0) return <p className="mt-3 text-muted">{text.noDifference}</p>;
  return (
    <div className="mt-3 flex flex-col gap-1">
      <p className="flex gap-4 font-mono text-xs">
        <span className="bg-removed px-1">− {beforeLabel}</span>
        <span className="bg-added px-1">+ {afterLabel}</span>
      </p>
      {/* It scrolls, so that the keyboard must be able to come to it. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre tabIndex={0} className="max-h-80 overflow-auto rounded-md border border-line font-mono text-xs">
        {lines.map(({ key, mark, text: line }) => (
          <div key={key} className={classes("px-2", mark === "+" && "bg-added", mark === "-" && "bg-removed")}>
            {mark} {line}
          </div>
        ))}
      </pre>
    </div>
  );
}
