import type { ReactElement } from "react";
import { importText } from "../../i18n/import.ts";
import { useText } from "../../i18n/use-text.ts";
import { Checkbox } from "../../kit/checkbox.tsx";
import { RadioGroup } from "../../kit/radio-group.tsx";
import { TextField } from "../../kit/text-field.tsx";
import type { ImportChoices } from "./read-import.ts";

export interface ImportOptionsProps {
  readonly choices: ImportChoices;
  readonly onChange: (choices: ImportChoices) => void;
}

/** What SillyTavern's files leave open. */
export function ImportOptions({ choices, onChange }: ImportOptionsProps): ReactElement {
  const text = useText(importText);
  return (
    <section aria-label={text.options} className="flex flex-wrap items-start gap-x-8 gap-y-3">
      <TextField
        label={text.user}
        placeholder={text.userHint}
        className="w-56"
        value={choices.user}
        onChange={(user) => onChange({ ...choices, user })}
      />
      <RadioGroup<ImportChoices["entries"]>
        label={text.entries}
        value={choices.entries}
        onChange={(entries) => onChange({ ...choices, entries })}
        options={[
          { id: "constant", label: text.constant },
          { id: "all", label: text.all },
        ]}
      />
      <div className="self-end pb-1.5">
        <Checkbox
          isSelected={choices.useEmbeddedBook}
          onChange={(useEmbeddedBook) => onChange({ ...choices, useEmbeddedBook })}
        >
          {text.embeddedBook}
        </Checkbox>
      </div>
    </section>
  );
}
