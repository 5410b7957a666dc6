import { Minus, Plus } from "lucide-react";
import type { ReactElement } from "react";
import {
  NumberField as AriaNumberField,
  type NumberFieldProps as AriaNumberFieldProps,
  Button,
  Group,
  Input,
} from "react-aria-components";
import { classes, fieldBox } from "./classes.ts";
import { FieldLabel, FieldNotes, type FieldTexts } from "./field.tsx";

export interface NumberFieldProps extends Omit<AriaNumberFieldProps, "className" | "style" | "children">, FieldTexts {
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
