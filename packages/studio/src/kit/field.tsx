import type { ReactElement, ReactNode } from "react";
import { FieldError, Label, Text } from "react-aria-components";
import { labelText } from "./classes.ts";

/** What every field of the kit takes. Without a visible label it needs `aria-label`. */
export interface FieldTexts {
  readonly label?: string;
  readonly description?: ReactNode;
  /** Says why the value is refused; shown when `isInvalid` is set. */
  readonly errorMessage?: string;
}

export function FieldLabel({ label }: FieldTexts): ReactElement | null {
  return label ? <Label className={labelText}>{label}</Label> : null;
}

export function FieldNotes({ description, errorMessage }: FieldTexts): ReactElement {
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
