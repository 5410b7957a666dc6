import { Check, ChevronDown, Minus, Plus, Search, X } from "lucide-react";
import type { ReactElement, ReactNode } from "react";
import {
  Button,
  Checkbox as AriaCheckbox,
  type CheckboxProps as AriaCheckboxProps,
  FieldError,
  Group,
  Input,
  type Key,
  Label,
  ListBox,
  ListBoxItem,
  NumberField as AriaNumberField,
  type NumberFieldProps as AriaNumberFieldProps,
  Popover,
  Radio,
  RadioGroup as AriaRadioGroup,
  SearchField as AriaSearchField,
  Select as AriaSelect,
  SelectValue,
  Switch as AriaSwitch,
  type SwitchProps as AriaSwitchProps,
  Text,
  TextArea,
  TextField as AriaTextField,
  type TextFieldProps as AriaTextFieldProps,
} from "react-aria-components";
import { frameText } from "../i18n/frame.ts";
import { useText } from "../i18n/use-text.ts";
import { classes, fieldBox, floating, labelText, listLine } from "./classes.ts";

/** What every field of the kit takes. Without a visible label it needs `aria-label`. */
interface FieldTexts {
  readonly label?: string;
  readonly description?: ReactNode;
  /** Says why the value is refused; shown when `isInvalid` is set. */
  readonly errorMessage?: string;
}

function FieldLabel({ label }: FieldTexts): ReactElement | null {
  return label ? <Label className={labelText}>{label}</Label> : null;
}

function FieldNotes({ description, errorMessage }: FieldTexts): ReactElement {
  return (
    <>
      {description && (
        <Text slot="description" className="text-xs text-muted">
          {description}
        </Text>
      )}
      <FieldError className="text-xs text-bad">{errorMessage}</FieldError>
    </>
  );
}

interface TextFieldProps extends Omit<AriaTextFieldProps, "className" | "style" | "children">, FieldTexts {
  readonly placeholder?: string;
  /** More than one makes it a text area of that many lines. */
  readonly rows?: number;
  readonly mono?: boolean;
  readonly className?: string;
}

type KeyHandler = NonNullable<AriaTextFieldProps["onKeyDown"]>;

/** A field that listens for one key leaves the others to what stands around it, such as Escape to a dialog. */
function alsoFor(onKeyDown: KeyHandler): KeyHandler {
  return (event) => {
    onKeyDown(event);
    if (!event.isDefaultPrevented()) event.continuePropagation();
  };
}

export function TextField(props: TextFieldProps): ReactElement {
  const { label, description, errorMessage, placeholder, rows = 1, mono, className, onKeyDown, ...rest } = props;
  const box = classes(fieldBox, "w-full min-w-0 px-2.5", mono && "font-mono text-xs");
  return (
    <AriaTextField
      {...rest}
      {...(onKeyDown && { onKeyDown: alsoFor(onKeyDown) })}
      className={classes("flex min-w-0 flex-col gap-1", className)}
    >
      <FieldLabel label={label} />
      {rows > 1 ? (
        <TextArea rows={rows} placeholder={placeholder} className={classes(box, "resize-y py-1.5")} />
      ) : (
        <Input placeholder={placeholder} className={classes(box, "h-8")} />
      )}
      <FieldNotes description={description} errorMessage={errorMessage} />
    </AriaTextField>
  );
}

interface NumberFieldProps extends Omit<AriaNumberFieldProps, "className" | "style" | "children">, FieldTexts {
  readonly className?: string;
}

const step =
  "flex h-full w-7 shrink-0 items-center justify-center text-muted data-[hovered]:bg-sunken data-[disabled]:opacity-40";

export function NumberField({ label, description, errorMessage, className, ...rest }: NumberFieldProps): ReactElement {
  return (
    <AriaNumberField {...rest} className={classes("flex min-w-0 flex-col gap-1", className)}>
      <FieldLabel label={label} />
      <Group className={classes(fieldBox, "flex h-8 w-32 items-center overflow-hidden focus-within:border-accent")}>
        <Button slot="decrement" className={step}>
          <Minus aria-hidden size={14} />
        </Button>
        <Input className="h-full w-full min-w-0 flex-1 bg-transparent text-center tabular-nums outline-none" />
        <Button slot="increment" className={step}>
          <Plus aria-hidden size={14} />
        </Button>
      </Group>
      <FieldNotes description={description} errorMessage={errorMessage} />
    </AriaNumberField>
  );
}

interface SearchFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly onSubmit?: (value: string) => void;
  readonly placeholder?: string;
  /** The one search that the key `/` goes to. */
  readonly isPageSearch?: boolean;
  readonly className?: string;
}

export function SearchField(props: SearchFieldProps): ReactElement {
  const text = useText(frameText);
  return (
    <AriaSearchField
      aria-label={props.label}
      value={props.value}
      onChange={props.onChange}
      onSubmit={props.onSubmit}
      className={classes("group min-w-0", props.className)}
    >
      <Group className={classes(fieldBox, "flex h-8 items-center gap-2 px-2.5 focus-within:border-accent")}>
        <Search aria-hidden size={14} className="shrink-0 text-muted" />
        <Input
          data-page-search={props.isPageSearch ? "" : undefined}
          placeholder={props.placeholder ?? props.label}
          className="min-w-0 flex-1 bg-transparent outline-none [&::-webkit-search-cancel-button]:hidden"
        />
        <Button aria-label={text.dismiss} className="rounded text-muted group-data-[empty]:hidden">
          <X aria-hidden size={14} />
        </Button>
      </Group>
    </AriaSearchField>
  );
}

interface SelectOption<Id extends string> {
  readonly id: Id;
  readonly label: string;
  readonly note?: ReactNode;
  readonly isDisabled?: boolean;
}

interface SelectProps<Id extends string> extends FieldTexts {
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

interface RadioOption<Id extends string> {
  readonly id: Id;
  readonly label: string;
  readonly isDisabled?: boolean;
}

interface RadioGroupProps<Id extends string> extends FieldTexts {
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

interface CheckboxProps extends Omit<AriaCheckboxProps, "className" | "style" | "children"> {
  readonly children?: ReactNode;
}

export function Checkbox({ children, ...rest }: CheckboxProps): ReactElement {
  return (
    <AriaCheckbox {...rest} className="group inline-flex items-center gap-2 data-[disabled]:opacity-50">
      <span className="flex size-4 shrink-0 items-center justify-center rounded border border-edge bg-canvas text-on-accent group-data-[focus-visible]:outline-2 group-data-[focus-visible]:outline-offset-2 group-data-[focus-visible]:outline-accent group-data-[selected]:border-accent group-data-[selected]:bg-accent">
        <Check aria-hidden size={12} strokeWidth={3} className="invisible group-data-[selected]:visible" />
      </span>
      {children}
    </AriaCheckbox>
  );
}

interface SwitchProps extends Omit<AriaSwitchProps, "className" | "style" | "children"> {
  /** The visible label; without one give `aria-label`. */
  readonly children?: ReactNode;
}

export function Switch({ children, ...rest }: SwitchProps): ReactElement {
  return (
    <AriaSwitch {...rest} className="group inline-flex items-center gap-2 data-[disabled]:opacity-50">
      <span className="flex h-[18px] w-8 shrink-0 items-center rounded-full border border-edge bg-edge p-px group-data-[focus-visible]:outline-2 group-data-[focus-visible]:outline-offset-2 group-data-[focus-visible]:outline-accent group-data-[selected]:border-accent group-data-[selected]:bg-accent">
        <span className="size-3.5 rounded-full bg-canvas transition-transform group-data-[selected]:translate-x-3.5" />
      </span>
      {children}
    </AriaSwitch>
  );
}
