import { Check, ChevronDown, Minus, Plus, Search, X } from "lucide-react";
import type { ReactElement, ReactNode } from "react";
import * as Aria from "react-aria-components";
import { frameText } from "../i18n/frame.ts";
import { useText } from "../i18n/use-text.ts";
import { besideOnWide, classes, fieldBox, floating, labelText, listLine } from "./classes.ts";

/** What every field of the kit takes. Without a visible label it needs `aria-label`. */
interface FieldTexts {
  readonly label?: string | undefined;
  readonly description?: ReactNode;
  /** Says why the value is refused; shown when `isInvalid` is set. */
  readonly errorMessage?: string | undefined;
}

/** What a field of react-aria-components takes, except for its looks, which are the kit's. */
type Bare<Props> = Omit<Props, "className" | "style" | "children">;

function FieldLabel({ label }: FieldTexts): ReactElement | null {
  return label ? <Aria.Label className={labelText}>{label}</Aria.Label> : null;
}

function FieldNotes({ description, errorMessage }: FieldTexts): ReactElement {
  return (
    <>
      {description && (
        <Aria.Text slot="description" className="text-xs text-muted">
          {description}
        </Aria.Text>
      )}
      <Aria.FieldError className="text-xs text-bad">{errorMessage}</Aria.FieldError>
    </>
  );
}

interface TextFieldProps extends Bare<Aria.TextFieldProps>, FieldTexts {
  readonly placeholder?: string;
  /** More than one makes it a text area of that many lines. */
  readonly rows?: number;
  readonly mono?: boolean;
  readonly className?: string;
  /** Enter without Shift, except while an input method composes a word. */
  readonly onEnter?: () => void;
  readonly onEscape?: () => void;
}

type KeyHandler = NonNullable<Aria.TextFieldProps["onKeyDown"]>;

/** A field that listens for one key leaves the others to what stands around it, such as Escape to a dialog. */
function keyHandler({ onKeyDown, onEnter, onEscape }: TextFieldProps): KeyHandler | undefined {
  if (!onKeyDown && !onEnter && !onEscape) return undefined;
  return (event) => {
    onKeyDown?.(event);
    if (event.key === "Escape") onEscape?.();
    if (onEnter && event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault();
      onEnter();
    }
    if (!event.isDefaultPrevented()) event.continuePropagation();
  };
}

export function TextField(props: TextFieldProps): ReactElement {
  const { label, description, errorMessage, placeholder, rows = 1, mono, className, ...others } = props;
  const { onKeyDown: _, onEnter: __, onEscape: ___, ...rest } = others;
  const onKeyDown = keyHandler(props);
  const box = classes(fieldBox, "w-full min-w-0 px-2.5", mono && "font-mono text-xs");
  return (
    <Aria.TextField
      {...rest}
      {...(onKeyDown && { onKeyDown })}
      className={classes("flex min-w-0 flex-col gap-1", className)}
    >
      <FieldLabel label={label} />
      {rows > 1 ? (
        <Aria.TextArea rows={rows} placeholder={placeholder} className={classes(box, "resize-y py-1.5")} />
      ) : (
        <Aria.Input placeholder={placeholder} className={classes(box, "h-8")} />
      )}
      <FieldNotes description={description} errorMessage={errorMessage} />
    </Aria.TextField>
  );
}

interface NumberFieldProps extends Bare<Aria.NumberFieldProps>, FieldTexts {
  readonly className?: string;
}

const step =
  "flex h-full w-7 shrink-0 items-center justify-center text-muted data-[hovered]:bg-sunken data-[disabled]:opacity-40";

export function NumberField({ label, description, errorMessage, className, ...rest }: NumberFieldProps): ReactElement {
  return (
    <Aria.NumberField {...rest} className={classes("flex min-w-0 flex-col gap-1", className)}>
      <FieldLabel label={label} />
      <Aria.Group
        className={classes(fieldBox, "flex h-8 w-32 items-center overflow-hidden focus-within:border-accent")}
      >
        <Aria.Button slot="decrement" className={step}>
          <Minus aria-hidden size={14} />
        </Aria.Button>
        <Aria.Input className="h-full w-full min-w-0 flex-1 bg-transparent text-center tabular-nums outline-none" />
        <Aria.Button slot="increment" className={step}>
          <Plus aria-hidden size={14} />
        </Aria.Button>
      </Aria.Group>
      <FieldNotes description={description} errorMessage={errorMessage} />
    </Aria.NumberField>
  );
}

interface SearchFieldProps {
  /** Also what the empty field shows. */
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** The one search that the key `/` goes to. */
  readonly isPageSearch?: boolean;
  readonly className?: string;
}

export function SearchField({ label, value, onChange, isPageSearch, className }: SearchFieldProps): ReactElement {
  const text = useText(frameText);
  return (
    <Aria.SearchField
      aria-label={label}
      value={value}
      onChange={onChange}
      className={classes("group min-w-0", className)}
    >
      <Aria.Group className={classes(fieldBox, "flex h-8 items-center gap-2 px-2.5 focus-within:border-accent")}>
        <Search aria-hidden size={14} className="shrink-0 text-muted" />
        <Aria.Input
          data-page-search={isPageSearch ? "" : undefined}
          placeholder={label}
          className="min-w-0 flex-1 bg-transparent outline-none [&::-webkit-search-cancel-button]:hidden"
        />
        <Aria.Button aria-label={text.dismiss} className="rounded text-muted group-data-[empty]:hidden">
          <X aria-hidden size={14} />
        </Aria.Button>
      </Aria.Group>
    </Aria.SearchField>
  );
}

type BareSelect = Pick<
  Aria.SelectProps<object>,
  "aria-label" | "placeholder" | "isDisabled" | "isInvalid" | "autoFocus"
>;

export interface SelectProps<Id extends string> extends BareSelect, FieldTexts {
  readonly options: readonly { readonly id: Id; readonly label: string; readonly note?: ReactNode }[];
  readonly value: Id | undefined;
  readonly onChange: (value: Id) => void;
  /** Puts the label beside the box instead of above it. */
  readonly inline?: boolean;
  readonly className?: string;
}

export function Select<Id extends string>(props: SelectProps<Id>): ReactElement {
  const { label, description, errorMessage, options, value, onChange, inline, className, ...rest } = props;
  return (
    <Aria.Select<object>
      {...rest}
      value={value ?? null}
      onChange={(key: Aria.Key | null) => key !== null && onChange(String(key) as Id)}
      className={classes("min-w-0", inline ? besideOnWide : "flex flex-col gap-1", className)}
    >
      <FieldLabel label={label} />
      <Aria.Button className={classes(fieldBox, "flex h-8 min-w-0 items-center gap-2 pr-2 pl-3 text-left")}>
        <Aria.SelectValue className="min-w-0 flex-1 truncate data-[placeholder]:text-muted">
          {({ selectedText, isPlaceholder, defaultChildren }) => (isPlaceholder ? defaultChildren : selectedText)}
        </Aria.SelectValue>
        <ChevronDown aria-hidden size={15} className="shrink-0 text-muted" />
      </Aria.Button>
      <FieldNotes description={description} errorMessage={errorMessage} />
      <Aria.Popover className={classes(floating, "min-w-(--trigger-width) max-w-[calc(100vw-1rem)]")}>
        <Aria.ListBox items={options} className="max-h-80 overflow-y-auto p-1 outline-none">
          {(option) => (
            <Aria.ListBoxItem id={option.id} textValue={option.label} className={listLine}>
              {({ isSelected }) => (
                <>
                  <Check aria-hidden size={14} className={isSelected ? "shrink-0 text-accent" : "invisible shrink-0"} />
                  <span className="min-w-0 flex-1">{option.label}</span>
                  {option.note && <span className="text-xs text-muted">{option.note}</span>}
                </>
              )}
            </Aria.ListBoxItem>
          )}
        </Aria.ListBox>
      </Aria.Popover>
    </Aria.Select>
  );
}

// What can be switched holds an input that is not seen. It is placed within its label (`relative`): left to the page, it would
// make the page longer than its window, and the browser would scroll there.

interface RadioGroupProps<Id extends string> extends Pick<FieldTexts, "label"> {
  readonly "aria-label"?: string;
  /** What can be chosen, with its label. */
  readonly options: Readonly<Partial<Record<Id, string>>>;
  readonly value: Id;
  readonly onChange: (value: Id) => void;
}

export function RadioGroup<Id extends string>(props: RadioGroupProps<Id>): ReactElement {
  const { label, options, onChange, ...rest } = props;
  return (
    <Aria.RadioGroup
      {...rest}
      onChange={(next) => onChange(next as Id)}
      orientation="horizontal"
      className="flex flex-col gap-1"
    >
      <FieldLabel label={label} />
      <div className="flex flex-wrap gap-x-4 gap-y-1">
        {Object.entries<string | undefined>(options).map(([id, name]) => (
          <Aria.Radio key={id} value={id} className="group relative inline-flex items-center gap-2">
            <span className="flex size-4 shrink-0 items-center justify-center rounded-full border border-edge bg-canvas group-data-[focus-visible]:outline-2 group-data-[focus-visible]:outline-offset-2 group-data-[focus-visible]:outline-accent group-data-[selected]:border-[5px] group-data-[selected]:border-accent" />
            {name}
          </Aria.Radio>
        ))}
      </div>
    </Aria.RadioGroup>
  );
}

/** The label is what stands in it; without one it needs `aria-label`. */
type Switchable<Props> = Bare<Props> & { readonly children?: ReactNode };

export function Checkbox({ children, ...rest }: Switchable<Aria.CheckboxProps>): ReactElement {
  return (
    <Aria.Checkbox {...rest} className="group relative inline-flex items-center gap-2 data-[disabled]:opacity-50">
      <span className="flex size-4 shrink-0 items-center justify-center rounded border border-edge bg-canvas text-on-accent group-data-[focus-visible]:outline-2 group-data-[focus-visible]:outline-offset-2 group-data-[focus-visible]:outline-accent group-data-[selected]:border-accent group-data-[selected]:bg-accent">
        <Check aria-hidden size={12} strokeWidth={3} className="invisible group-data-[selected]:visible" />
      </span>
      {children}
    </Aria.Checkbox>
  );
}

export function Switch({ children, ...rest }: Switchable<Aria.SwitchProps>): ReactElement {
  return (
    <Aria.Switch {...rest} className="group relative inline-flex items-center gap-2 data-[disabled]:opacity-50">
      <span className="flex h-[18px] w-8 shrink-0 items-center rounded-full border border-edge bg-edge p-px group-data-[focus-visible]:outline-2 group-data-[focus-visible]:outline-offset-2 group-data-[focus-visible]:outline-accent group-data-[selected]:border-accent group-data-[selected]:bg-accent">
        <span className="size-3.5 rounded-full bg-canvas transition-transform group-data-[selected]:translate-x-3.5" />
      </span>
      {children}
    </Aria.Switch>
  );
}
