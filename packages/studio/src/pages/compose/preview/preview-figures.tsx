import { Zap } from "lucide-react";
import { type ReactElement, memo } from "react";
import { composeText } from "../../../i18n/compose.ts";
import { useFormats, useText } from "../../../i18n/use-text.ts";
import { SourceBar } from "../../../message/source-bar.tsx";
import { Hint } from "../../../kit/button.tsx";
import { useDocument, usePreview } from "../state/editor-state.ts";

/** Bars per source, what is used and how surely, and how much of it stays in front of the next turn. */
export function PreviewFigures(): ReactElement | null {
  const preview = usePreview((state) => state.preview);
  const budget = usePreview((state) => state.budget);
  const target = useTarget();
  if (!preview) return null;
  return (
    <>
      <SourceBar bySource={preview.bySource} budget={budget} target={target} />
      <Cut />
      <Totals />
    </>
  );
}

const usualTarget = 0.5;

/** The share of the budget that a cut goes down to: the place's, or else the preset's [T3]. */
function useTarget(): number {
  const ofPlace = usePreview((state) => state.settings.limits.targetRatio);
  const ofPreset = useDocument((state) => state.preset.context?.targetRatio);
  return ofPlace ?? ofPreset ?? usualTarget;
}

/** Why there is room although something was left out [F7]. */
function Cut(): ReactElement | null {
  const text = useText(composeText);
  const formats = useFormats();
  const target = useTarget();
  const isCut = usePreview(({ preview, budget }) => {
    const { droppedMessagesCount = 0, inputTokens = 0 } = preview?.build.stats ?? {};
    return droppedMessagesCount > 0 && inputTokens < budget;
  });
  const isElsewhere = usePreview(({ settings }) => settings.compaction === "elsewhere");
  if (!isCut || target === 1) return null;
  return (
    <p data-testid="cut" className="text-xs text-muted">
      {text.cutDown(formats.percent(target))}
      {isElsewhere && <span> · {text.summaryElsewhere}</span>}
    </p>
  );
}

/** Each figure takes its number by itself, inside of its hint: an edit changes figures, and hints seldom. */
const Totals = memo(function Totals(): ReactElement {
  const text = useText(composeText);
  const tokenizer = usePreview((state) => state.preview?.build.stats.tokenizer ?? "");
  const isRough = usePreview((state) => state.tokenizer.id === "characters");
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-xs">
      <Hint text={isRough ? text.countedRoughly : text.countedBy(tokenizer)} className="w-fit">
        <Used by={isRough ? "≈" : tokenizer} />
      </Hint>
      <Hint text={text.stablePrefixHint} className="inline-flex items-center gap-1 text-good">
        <Zap aria-hidden size={12} />
        <StablePrefix />
      </Hint>
      <Cost />
    </div>
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
  // Most edits cost nothing, and need no sentence.
  if (!cost || cost.lost === 0) return null;
  const { edit, lost, kept, cached } = cost;
  const name = text.edits[edit];
  const sentence = lost > 0 ? text.costs(name, formats.number(lost)) : text.gains(name, formats.number(-lost));
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
