import { Check, ChevronDown } from "lucide-react";
import type { ReactElement, ReactNode } from "react";
import {
  Select as AriaSelect,
  Button,
  type Key,
  ListBox,
  ListBoxItem,
  Popover,
  SelectValue,
} from "react-aria-components";
import { classes, fieldBox, floating, listLine } from "./classes.ts";
import { FieldLabel, FieldNotes, type FieldTexts } from "./field.tsx";

interface SelectOption<Id extends string> {
  readonly id: Id;
  readonly label: string;
  readonly note?: ReactNode;
  readonly isDisabled?: boolean;
}

export interface SelectProps<Id extends string> extends FieldTexts {
  readonly "aria-label"?: string;
  readonly options: readonly SelectOption<Id>[];
  readonly value: Id | undefined;
  readonly onChange: (value: Id) => void;
  readonly placeholder?: string;
  readonly isDisabled?: boolean;
  readonly isInvalid?: boolean;
  /** Puts the label beside the box instead of above it. */
  readonly inline?: boolean;
  readonly className?: string;
}

export function Select<Id extends string>(props: SelectProps<Id>): ReactElement {
  const { options, value, onChange, inline, className } = props;
  return (
    <AriaSelect<object>
      aria-label={props["aria-label"]}
      value={value ?? null}
      onChange={(key: Key | null) => key !== null && onChange(String(key) as Id)}
      placeholder={props.placeholder}
      isDisabled={props.isDisabled}
      isInvalid={props.isInvalid}
      className={classes("min-w-0", inline ? "flex items-center gap-2" : "flex flex-col gap-1", className)}
    >
      <FieldLabel label={props.label} />
      <Button className={classes(fieldBox, "flex h-8 min-w-0 items-center gap-2 pr-2 pl-3 text-left")}>
        <SelectValue className="min-w-0 flex-1 truncate data-[placeholder]:text-muted">
          {({ selectedText, isPlaceholder, defaultChildren }) => (isPlaceholder ? defaultChildren : selectedText)}
        </SelectValue>
        <ChevronDown aria-hidden size={15} className="shrink-0 text-muted" />
      </Button>
      <FieldNotes description={props.description} errorMessage={props.errorMessage} />
      <Popover className={classes(floating, "min-w-(--trigger-width) max-w-[calc(100vw-1rem)]")}>
        <ListBox items={options} className="max-h-80 overflow-y-auto p-1 outline-none">
          {(option) => (
            <ListBoxItem id={option.id} textValue={option.label} isDisabled={option.isDisabled} className={listLine}>
              {({ isSelected }) => (
                <>
                  <Check aria-hidden size={14} className={isSelected ? "shrink-0 text-accent" : "invisible shrink-0"} />
                  <span className="min-w-0 flex-1">{option.label}</span>
                  {option.note && <span className="text-xs text-muted">{option.note}</span>}
                </>
              )}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </AriaSelect>
  );
}
