import type { ReactElement } from "react";
import {
  TextField as AriaTextField,
  type TextFieldProps as AriaTextFieldProps,
  Input,
  TextArea,
} from "react-aria-components";
import { classes, fieldBox } from "./classes.ts";
import { FieldLabel, FieldNotes, type FieldTexts } from "./field.tsx";

export interface TextFieldProps extends Omit<AriaTextFieldProps, "className" | "style" | "children">, FieldTexts {
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
