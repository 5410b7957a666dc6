import type { ReactElement, ReactNode } from "react";
import { Tooltip as AriaTooltip, Focusable, TooltipTrigger } from "react-aria-components";

export interface TooltipProps {
  readonly text: ReactNode;
  /** One element that can have the focus, such as a button of the kit; `Hint` wraps plain text. */
  readonly children: ReactElement;
  readonly placement?: "top" | "bottom" | "left" | "right";
}

export function Tooltip({ text, children, placement = "bottom" }: TooltipProps): ReactElement {
  return (
    <TooltipTrigger delay={500} closeDelay={100}>
      {children}
      <AriaTooltip
        placement={placement}
        offset={6}
        className="max-w-xs rounded-md bg-ink px-2 py-1 text-xs text-canvas shadow-float"
      >
        {text}
      </AriaTooltip>
    </TooltipTrigger>
  );
}

export interface HintProps {
  readonly text: ReactNode;
  readonly children: ReactNode;
  readonly className?: string;
}

/** Plain text that explains itself on hover and on focus. */
export function Hint({ text, children, className }: HintProps): ReactElement {
  return (
    <Tooltip text={text}>
      <Focusable>
        {/* A text that explains itself must be reachable by keyboard too. */}
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
        <span role="note" tabIndex={0} className={className}>
          {children}
        </span>
      </Focusable>
    </Tooltip>
  );
}
