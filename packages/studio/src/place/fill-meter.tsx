import { Zap } from "lucide-react";
import type { ReactElement } from "react";
import { messageTexts } from "../i18n/message.ts";
import { placeText } from "../i18n/place.ts";
import { useFormats, useText } from "../i18n/use-text.ts";
import { Hint } from "../kit/button.tsx";
import { countedBy } from "../message/row-look.ts";
import { SourceBar } from "../message/source-bar.tsx";
import type { Fill } from "./use-place.ts";

/** How much of the budget the next call takes, by source, and how much of it a provider may have cached. */
export function FillMeter({ fill }: { readonly fill: Fill }): ReactElement {
  const text = useText(placeText);
  const words = useText(messageTexts);
  const { number, percent } = useFormats();
  const { stats, budget, target, bySource, cachedPrefix, digest } = fill;
  const from = fill.settings.find(({ key }) => key === "maxInputTokens")?.from ?? "default";
  // Whether a provider counts the same is not known before the call.
  const isExact = stats.exactness === "exact";
  const counted = isExact ? words.counted(stats.tokenizer) : countedBy(words, stats.exactness, stats.tokenizer);
  return (
    <div className="flex flex-col gap-1.5" data-fill={stats.inputTokens} data-digest={digest}>
      <p className="text-xs">
        <strong className="tabular-nums">
          {text.used(number(stats.inputTokens), number(budget), percent(stats.inputTokens / budget))}
        </strong>{" "}
        <span className="text-muted">({counted})</span>
      </p>
      <SourceBar bySource={bySource} budget={budget} target={target / budget} />
      <p className="text-xs text-muted">
        {from === "default" ? text.budgetOfModel(fill.model) : text.budgetFrom(text.sources[from])}
      </p>
      {cachedPrefix > 0 && (
        <Hint text={text.cachedHint} className="inline-flex w-fit items-center gap-1 text-xs text-good">
          <Zap aria-hidden size={12} />
          <span className="tabular-nums">{text.cached(number(cachedPrefix))}</span>
        </Hint>
      )}
    </div>
  );
}
