import { type TokenSource, tokenSources } from "@galley/engine/proof";
import { Zap } from "lucide-react";
import { type ReactElement, memo } from "react";
import { composeText } from "../../../i18n/compose.ts";
import { useFormats, useText } from "../../../i18n/use-text.ts";
import { classes } from "../../../kit/classes.ts";
import { sourceLook } from "../../../message/row-look.ts";
import { Hint } from "../../../kit/button.tsx";
import { usePreview } from "../state/editor-state.ts";

/** Bars per source, what is used and how surely, and how much of it stays in front of the next turn. */
export function PreviewFigures(): ReactElement | null {
  const preview = usePreview((state) => state.preview);
  const budget = usePreview((state) => state.budget);
  if (!preview) return null;
  return (
    <>
      <SourceBar bySource={preview.bySource} budget={budget} />
      <Totals />
    </>
  );
}

interface SourceBarProps {
  readonly bySource: Readonly<Record<TokenSource, number>>;
  readonly budget: number;
}

function SourceBar({ bySource, budget }: SourceBarProps): ReactElement {
  const text = useText(composeText);
  const formats = useFormats();
  const shown = tokenSources.filter((source) => bySource[source] > 0);
  const total = shown.reduce((sum, source) => sum + bySource[source], 0);
  // A window of a million tokens would leave nothing to see: the bar then shows the shares of what is used.
  const whole = total > 0 && total < budget / 20 ? total : Math.max(budget, total);
  return (
    <>
      <div aria-hidden className="flex h-3.5 overflow-hidden rounded border border-line bg-sunken">
        {shown.map((source) => (
          <div
            key={source}
            className={classes("min-w-0.5", sourceLook[source].background)}
            style={{ width: `${(100 * bySource[source]) / whole}%` }}
          />
        ))}
      </div>
      <ul className="flex flex-wrap gap-x-3 gap-y-0.5 text-xs">
        {shown.map((source) => (
          <li key={source} data-source={source} className="flex items-center gap-1">
            <span aria-hidden className={classes("size-2 rounded-full", sourceLook[source].background)} />
            <span className="text-muted">{text.sources[source]}</span>
            <span className="tabular-nums">{formats.number(bySource[source])}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Each figure takes its number by itself, inside of its hint: an edit changes figures, and hints seldom. */
const Totals = memo(function Totals(): ReactElement {
  const text = useText(composeText);
  const tokenizer = usePreview((state) => state.preview?.build.stats.tokenizer ?? "");
  const isRough = usePreview((state) => state.tokenizer.id === "characters");
  return (
    <>
      <Hint text={isRough ? text.countedRoughly : text.countedBy(tokenizer)} className="w-fit text-xs">
        <Used by={isRough ? "≈" : tokenizer} />
      </Hint>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-xs">
        <Hint text={text.stablePrefixHint} className="inline-flex items-center gap-1 text-good">
          <Zap aria-hidden size={12} />
          <StablePrefix />
        </Hint>
        <Cost />
      </div>
    </>
  );
});

function Used({ by }: { readonly by: string }): ReactElement | null {
  const text = useText(composeText);
  const formats = useFormats();
  const stats = usePreview((state) => state.preview?.build.stats);
  const budget = usePreview((state) => state.budget);
  if (!stats) return null;
  return (
    <>
      <span data-testid="used" data-tokens={stats.inputTokens} className="font-semibold tabular-nums">
        {text.used(formats.number(stats.inputTokens), formats.number(budget))}
      </span>{" "}
      <span className="text-muted">
        ({text.exactness[stats.exactness]}, {by})
      </span>
    </>
  );
}

function StablePrefix(): ReactElement {
  const text = useText(composeText);
  const formats = useFormats();
  const stable = usePreview((state) => state.preview?.stableTokens ?? 0);
  return (
    <span data-testid="cached-prefix" data-tokens={stable} className="tabular-nums">
      {text.stablePrefix(formats.number(stable))}
    </span>
  );
}

/** What the last edit did to the provider's cache. */
function Cost(): ReactElement | null {
  const text = useText(composeText);
  const formats = useFormats();
  const cost = usePreview((state) => state.cost);
  if (!cost) return null;
  const { edit, lost, kept, cached } = cost;
  const name = text.edits[edit];
  const sentence =
    lost > 0
      ? text.costs(name, formats.number(lost))
      : lost < 0
        ? text.gains(name, formats.number(-lost))
        : text.keeps(name);
  return (
    <Hint
      text={text.costHint(formats.number(kept), formats.number(cached))}
      className={lost > 0 ? "text-warn" : "text-muted"}
    >
      <span role="status" data-testid="edit-cost" data-lost={lost} data-kept={kept} data-cached={cached}>
        {sentence}
      </span>
    </Hint>
  );
}
