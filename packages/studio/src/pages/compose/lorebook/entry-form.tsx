import type { Activation } from "@galley/engine";
import { type KeyboardEvent, type ReactElement, useState } from "react";
import type { EntryChange } from "../../../document/lore-edits.ts";
import { type LoreEntry, entryName, formatKeys, parseKeys } from "../../../document/lore-entries.ts";
import { lorebookText } from "../../../i18n/lorebook.ts";
import { useText } from "../../../i18n/use-text.ts";
import { Checkbox, NumberField, Select, TextField } from "../../../kit/fields.tsx";
import { useEditor } from "../state/editor-state.ts";
import { ContentEditor } from "../steps/content-editor.tsx";
import { InjectionForm } from "../steps/injection-form.tsx";
import { useStepActions } from "../steps/use-step-actions.ts";
import type { EntryActions } from "./use-entries.ts";

export const numberRules = ["order", "scanDepth", "probability", "sticky", "cooldown", "delay"] as const;
export type NumberRule = (typeof numberRules)[number];

export interface EntryFormProps {
  readonly entry: LoreEntry;
  readonly actions: EntryActions;
  /** A new one begins with its name. */
  readonly isNew: boolean;
}

/** All rules of one entry, below its line. */
export function EntryForm({ entry, actions, isNew }: EntryFormProps): ReactElement {
  const text = useText(lorebookText);
  const { document, view } = useEditor();
  const steps = useStepActions();
  const set: SetRules = (rules, field) => actions.change(entry, { rules }, field);
  // The table listens for keys of its own; what is typed here is not meant for it.
  const keep = (event: KeyboardEvent): void => {
    if (event.key === "Escape" && !event.defaultPrevented) view.setState({ openStep: undefined });
    event.stopPropagation();
  };
  return (
    // It only keeps keys from the table around it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <div
      role="group"
      aria-label={text.openEntry(entryName(entry))}
      onKeyDown={keep}
      className="flex flex-col gap-4 border-t border-line bg-raised px-4 py-3"
    >
      <KeyRules entry={entry} actions={actions} isNew={isNew} set={set} />
      <Numbers activation={entry.activation} set={set} />
      <InjectionForm
        id={entry.id}
        strategy={entry.strategy}
        onChange={(strategy, name) => steps.setStrategy(entry.index, strategy, name)}
      />
      <ContentEditor
        label={text.content}
        value={entry.content}
        onChange={(content) => steps.setField(entry.index, "content", content)}
        document={document}
      />
      {entry.canInherit && <p className="text-xs text-muted">{text.forAll}</p>}
    </div>
  );
}

type SetRules = (rules: NonNullable<EntryChange["rules"]>, field: string) => void;

interface KeyRulesProps extends EntryFormProps {
  readonly set: SetRules;
}

/** What the entry is called, and what makes it come. */
function KeyRules({ entry, actions, isNew, set }: KeyRulesProps): ReactElement {
  const text = useText(lorebookText);
  const { activation } = entry;
  return (
    <>
      <div className="grid gap-x-4 gap-y-3 md:grid-cols-2">
        <TextField
          label={text.name}
          value={entry.name ?? ""}
          onChange={(name) => actions.change(entry, { name }, "name")}
          autoFocus={isNew}
        />
        <KeysField
          label={text.keys}
          description={text.keysHint}
          keys={activation.keys}
          onChange={(keys) => set({ keys }, "keys")}
        />
        <KeysField
          label={text.secondary}
          description={text.secondaryHint}
          keys={activation.secondaryKeys}
          onChange={(keys) => set({ secondaryKeys: keys.length > 0 ? keys : undefined }, "secondary keys")}
        />
        {(activation.secondaryKeys?.length ?? 0) > 0 && (
          <Select
            label={text.logic}
            options={logics.map((id) => ({ id, label: text.logics[id] }))}
            value={activation.logic ?? "and-any"}
            onChange={(logic) => set({ logic }, "logic")}
          />
        )}
      </div>
      <Checkbox
        isSelected={activation.constant === true}
        onChange={(isOn) => set({ constant: isOn || undefined }, "constant")}
      >
        {text.constant}
      </Checkbox>
    </>
  );
}

interface NumbersProps {
  readonly activation: Activation;
  readonly set: SetRules;
}

function Numbers({ activation, set }: NumbersProps): ReactElement {
  const text = useText(lorebookText);
  return (
    <div className="flex flex-wrap gap-x-5 gap-y-3">
      {numberRules.map((rule) => (
        <NumberField
          key={rule}
          label={text.numbers[rule][0]}
          description={text.numbers[rule][1]}
          value={activation[rule] ?? NaN}
          minValue={rule === "order" ? -1_000_000 : 0}
          step={1}
          onChange={(value) => set({ [rule]: Number.isFinite(value) ? value : undefined }, rule)}
          className="max-w-36"
        />
      ))}
    </div>
  );
}

const logics = ["and-any", "and-all", "not-any", "not-all"] as const;

interface KeysFieldProps {
  readonly label: string;
  readonly description: string;
  readonly keys: readonly string[] | undefined;
  readonly onChange: (keys: readonly string[]) => void;
}

/** Keys as one line. It stays as it is typed, commas and blanks included, as long as it means the keys that there are. */
function KeysField({ label, description, keys, onChange }: KeysFieldProps): ReactElement {
  const [typed, setTyped] = useState(formatKeys(keys));
  const isCurrent = formatKeys(parseKeys(typed)) === formatKeys(keys);
  return (
    <TextField
      label={label}
      description={description}
      value={isCurrent ? typed : formatKeys(keys)}
      onChange={(next) => {
        setTyped(next);
        onChange(parseKeys(next));
      }}
      mono
    />
  );
}
