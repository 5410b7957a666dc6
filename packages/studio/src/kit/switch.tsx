import type { ReactElement, ReactNode } from "react";
import { Switch as AriaSwitch, type SwitchProps as AriaSwitchProps } from "react-aria-components";

export interface SwitchProps extends Omit<AriaSwitchProps, "className" | "style" | "children"> {
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
