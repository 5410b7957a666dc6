import type { ReactElement } from "react";
import { RadioGroup as AriaRadioGroup, Radio } from "react-aria-components";
import { classes } from "./classes.ts";
import { FieldLabel, FieldNotes, type FieldTexts } from "./field.tsx";

interface RadioOption<Id extends string> {
  readonly id: Id;
  readonly label: string;
  readonly isDisabled?: boolean;
}

export interface RadioGroupProps<Id extends string> extends FieldTexts {
  readonly "aria-label"?: string;
  readonly options: readonly RadioOption<Id>[];
  readonly value: Id;
  readonly onChange: (value: Id) => void;
  readonly isDisabled?: boolean;
  readonly orientation?: "horizontal" | "vertical";
}

export function RadioGroup<Id extends string>(props: RadioGroupProps<Id>): ReactElement {
  const { options, orientation = "horizontal" } = props;
  return (
    <AriaRadioGroup
      aria-label={props["aria-label"]}
      value={props.value}
      onChange={(value) => props.onChange(value as Id)}
      isDisabled={props.isDisabled}
      orientation={orientation}
      className="flex flex-col gap-1"
    >
      <FieldLabel label={props.label} />
      <div className={classes("flex", orientation === "horizontal" ? "flex-wrap gap-x-4 gap-y-1" : "flex-col gap-1.5")}>
        {options.map((option) => (
          <Radio
            key={option.id}
            value={option.id}
            isDisabled={option.isDisabled}
            className="group inline-flex items-center gap-2 data-[disabled]:opacity-50"
          >
            <span className="flex size-4 shrink-0 items-center justify-center rounded-full border border-edge bg-canvas group-data-[focus-visible]:outline-2 group-data-[focus-visible]:outline-offset-2 group-data-[focus-visible]:outline-accent group-data-[selected]:border-[5px] group-data-[selected]:border-accent" />
            {option.label}
          </Radio>
        ))}
      </div>
      <FieldNotes description={props.description} errorMessage={props.errorMessage} />
    </AriaRadioGroup>
  );
}
