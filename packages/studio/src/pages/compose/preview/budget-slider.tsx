import { type SessionEntry, tokenAccount } from "@galley/engine";
import { type ReactElement, useMemo } from "react";
import { Slider as AriaSlider, Label, SliderThumb, SliderTrack } from "react-aria-components";
import { roughTokenizer } from "../../../document/rough-tokenizer.ts";
import { useQueryState } from "../../../frame/navigation-state.ts";
import { composeText } from "../../../i18n/compose.ts";
import { useText } from "../../../i18n/use-text.ts";
import { labelText } from "../../../kit/classes.ts";
import { NumberField } from "../../../kit/number-field.tsx";
import { useEditor, usePreview } from "../state/editor-state.ts";
import { useModels } from "../state/use-models.ts";

const account = tokenAccount(roughTokenizer);

/** One, two or five times a power of ten, and not less than the number. */
function niceAbove(number: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, number)));
  return power * ([1, 2, 5, 10].find((factor) => power * factor >= number) ?? 10);
}

/** As far as more budget would change anything: about twice what there is to send. */
function rangeOf(entries: readonly SessionEntry[], window: number): { readonly max: number; readonly step: number } {
  let tokens = 0;
  for (const entry of entries) if (entry.type === "message") tokens += account.countMessage(entry.message);
  const max = Math.min(window, niceAbove(Math.max(2000, tokens * 2)));
  return { max, step: Math.max(1, niceAbove(max / 200)) };
}

/** The budget moves the preview while it is dragged or stepped; at its end it is the model's window. */
export function BudgetSlider(): ReactElement {
  const text = useText(composeText);
  const { preview } = useEditor();
  const { setQuery } = useQueryState();
  const model = usePreview((state) => state.model);
  const budget = usePreview((state) => state.budget);
  const entries = usePreview((state) => state.entries);
  const models = useModels();
  const window = models.find(({ id }) => id === model)?.contextWindow ?? 32_768;
  const { max, step } = useMemo(() => rangeOf(entries, window), [entries, window]);
  const valueOf = (position: number): number => (position >= max ? window : Math.max(1, position));
  const keep = (value: number): void => setQuery({ budget: value === window ? undefined : value });
  return (
    <div className="flex items-center gap-3">
      <AriaSlider<number>
        value={Math.min(budget, max)}
        minValue={step}
        maxValue={max}
        step={step}
        onChange={(position) => preview.set({ budget: valueOf(position) })}
        onChangeEnd={(position) => keep(valueOf(position))}
        className="flex min-w-0 flex-1 items-center gap-3"
      >
        <Label className={`${labelText} shrink-0`}>{text.budget}</Label>
        <SliderTrack className="relative h-5 min-w-16 flex-1 before:absolute before:inset-x-0 before:top-1/2 before:h-1 before:-translate-y-1/2 before:rounded-full before:bg-edge">
          <SliderThumb className="top-1/2 size-3.5 rounded-full border-2 border-canvas bg-accent shadow-float data-[focus-visible]:outline-2 data-[focus-visible]:outline-offset-1 data-[focus-visible]:outline-accent" />
        </SliderTrack>
      </AriaSlider>
      <NumberField
        aria-label={text.budgetValue}
        value={budget}
        minValue={1}
        step={1}
        onChange={(value) => {
          if (!Number.isFinite(value)) return;
          preview.set({ budget: value });
          keep(value);
        }}
      />
    </div>
  );
}
