import { type TokenSource, tokenSources } from "@galley/engine/proof";
import type { ReactElement } from "react";
import { messageTexts } from "../i18n/message.ts";
import { useFormats, useText } from "../i18n/use-text.ts";
import { classes } from "../kit/classes.ts";
import { sourceLook } from "./row-look.ts";

interface SourceBarProps {
  readonly bySource: Readonly<Record<TokenSource, number>>;
  readonly budget: number;
  /** The share of the budget that a cut goes down to; 1 where a cut takes only what is too much. */
  readonly target: number;
}

/** What is sent, by its sources, within the budget; the same figures stand below in words. */
export function SourceBar({ bySource, budget, target }: SourceBarProps): ReactElement {
  const text = useText(messageTexts);
  const formats = useFormats();
  const shown = tokenSources.filter((source) => bySource[source] > 0);
  const total = shown.reduce((sum, source) => sum + bySource[source], 0);
  // A window of a million tokens would leave nothing to see: the bar then shows the shares of what is used, and a thin one
  // below it how little that is.
  const isSmall = total > 0 && total < budget / 20;
  const whole = isSmall ? total : Math.max(budget, total);
  return (
    <>
      <div aria-hidden className="relative flex h-3.5 overflow-hidden rounded border border-line bg-sunken">
        {!isSmall && target < 1 && (
          <Target share={(target * budget) / whole} title={text.cutTarget(formats.percent(target))} />
        )}
        {shown.map((source) => (
          <div
            key={source}
            className={classes("min-w-0.5", sourceLook[source].background)}
            style={{ width: `${(100 * bySource[source]) / whole}%` }}
          />
        ))}
      </div>
      {isSmall && (
        <div aria-hidden className="relative h-1.5 overflow-hidden rounded-full bg-line">
          <div className="h-full min-w-0.5 bg-muted" style={{ width: `${(100 * total) / budget}%` }} />
          {target < 1 && <Target share={target} title={text.cutTarget(formats.percent(target))} />}
        </div>
      )}
      <ul className="flex flex-wrap gap-x-3 gap-y-0.5 text-xs">
        {shown.map((source) => (
          <li key={source} data-source={source} data-tokens={bySource[source]} className="flex items-center gap-1">
            <span aria-hidden className={classes("size-2 rounded-full", sourceLook[source].background)} />
            <span className="text-muted">{text.sources[source]}</span>
            <span className="tabular-nums">{formats.number(bySource[source])}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Where a cut goes down to. */
function Target({ share, title }: { readonly share: number; readonly title: string }): ReactElement {
  return (
    <div
      data-testid="target"
      title={title}
      className="absolute inset-y-0 border-l-2 border-dashed border-ink"
      style={{ left: `${100 * share}%` }}
    />
  );
}
