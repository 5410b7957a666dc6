import { Check } from "lucide-react";
import type { ReactElement, ReactNode } from "react";
import { Checkbox as AriaCheckbox, type CheckboxProps as AriaCheckboxProps } from "react-aria-components";

export interface CheckboxProps extends Omit<AriaCheckboxProps, "className" | "style" | "children"> {
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
