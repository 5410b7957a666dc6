import type { InjectionStrategy } from "@galley/engine";
import { type ReactElement, useState } from "react";
import type { LoreEntry } from "../../../document/lore-entries.ts";
import { lorebookText } from "../../../i18n/lorebook.ts";
import { useFormats, useText } from "../../../i18n/use-text.ts";
import { Button } from "../../../kit/button.tsx";
import { AskDialog } from "../../../kit/dialog.tsx";
import { Checkbox, NumberField } from "../../../kit/fields.tsx";
import { InjectionForm } from "../steps/injection-form.tsx";
import { type NumberRule, numberRules } from "./entry-form.tsx";
import type { EntryActions } from "./use-entries.ts";

export interface BulkBarProps {
  readonly entries: readonly LoreEntry[];
  readonly actions: EntryActions;
  readonly onClear: () => void;
}

/** What can be done to all that are selected, each as one edit. */
export function BulkBar({ entries, actions, onClear }: BulkBarProps): ReactElement {
  const text = useText(lorebookText);
  const formats = useFormats();
  const [isSetting, setIsSetting] = useState(false);
  const remove = (): void => {
    actions.remove(entries);
    onClear();
  };
  return (
    <div
      role="group"
      aria-label={text.selected(formats.number(entries.length))}
      className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line bg-accent-soft px-3 py-2"
    >
      <span className="font-medium tabular-nums">{text.selected(formats.number(entries.length))}</span>
      <Button size="small" onPress={() => actions.changeAll(entries, { enabled: true })}>
        {text.switchOn}
      </Button>
      <Button size="small" onPress={() => actions.changeAll(entries, { enabled: false })}>
        {text.switchOff}
      </Button>
      <Button size="small" onPress={() => actions.changeAll(entries, { rules: { constant: true } })}>
        {text.makeConstant}
      </Button>
      <Button size="small" onPress={() => actions.changeAll(entries, { rules: { constant: undefined } })}>
        {text.makeKeyed}
      </Button>
      <Button size="small" onPress={() => setIsSetting(true)}>
        {text.setFor}
      </Button>
      <Button size="small" look="danger" onPress={remove}>
        {text.delete}
      </Button>
      <span className="flex-1" />
      <Button size="small" onPress={onClear}>
        {text.clearSelection}
      </Button>
      {isSetting && <SetDialog entries={entries} actions={actions} onClose={() => setIsSetting(false)} />}
    </div>
  );
}

type Numbers = Partial<Record<NumberRule, number>>;

interface SetDialogProps {
  readonly entries: readonly LoreEntry[];
  readonly actions: EntryActions;
  readonly onClose: () => void;
}

/** Numbers and the position for many entries at once; what is not ticked stays as it is. */
function SetDialog({ entries, actions, onClose }: SetDialogProps): ReactElement {
  const text = useText(lorebookText);
  const [numbers, setNumbers] = useState<Numbers>({});
  const [strategy, setStrategy] = useState<InjectionStrategy>();
  const toggle = (rule: NumberRule, isOn: boolean): void => {
    const { [rule]: _, ...others } = numbers;
    setNumbers(isOn ? { ...others, [rule]: entries[0]?.activation[rule] ?? usual[rule] } : others);
  };
  return (
    <AskDialog
      title={text.setTitle(entries.length)}
      confirm={text.set}
      isDisabled={Object.keys(numbers).length === 0 && strategy === undefined}
      onClose={onClose}
      onConfirm={() => actions.changeAll(entries, { rules: numbers, ...(strategy && { strategy }) })}
    >
      <p className="text-muted">{text.setHint}</p>
      {numberRules.map((rule) => (
        <div key={rule} className="flex min-h-8 items-center gap-3">
          <div className="w-40">
            <Checkbox isSelected={numbers[rule] !== undefined} onChange={(isOn) => toggle(rule, isOn)}>
              {text.numbers[rule][0]}
            </Checkbox>
          </div>
          {numbers[rule] !== undefined && (
            <NumberField
              aria-label={text.numbers[rule][0] ?? ""}
              value={numbers[rule]}
              minValue={rule === "order" ? -1_000_000 : 0}
              step={1}
              onChange={(value) => Number.isFinite(value) && setNumbers({ ...numbers, [rule]: value })}
            />
          )}
        </div>
      ))}
      <Checkbox
        isSelected={strategy !== undefined}
        onChange={(isOn) => setStrategy(isOn ? (entries[0]?.strategy ?? {}) : undefined)}
      >
        {text.movesThem}
      </Checkbox>
      {strategy && <InjectionForm id="" strategy={strategy} onChange={setStrategy} />}
    </AskDialog>
  );
}

const usual: Readonly<Record<NumberRule, number>> = {
  order: 100,
  scanDepth: 2,
  probability: 100,
  sticky: 1,
  cooldown: 1,
  delay: 1,
};
