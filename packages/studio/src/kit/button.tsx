import type { ReactElement, ReactNode } from "react";
import {
  Button as AriaButton,
  type ButtonProps as AriaButtonProps,
  Focusable,
  Tooltip as AriaTooltip,
  TooltipTrigger,
} from "react-aria-components";
import { classes } from "./classes.ts";

type Look = "plain" | "primary" | "quiet" | "danger";

const looks: Readonly<Record<Look, string>> = {
  plain: "border border-line bg-canvas text-ink data-[hovered]:bg-sunken data-[pressed]:bg-line",
  primary: "border border-transparent bg-accent text-on-accent data-[hovered]:opacity-90 data-[pressed]:opacity-80",
  quiet: "border border-transparent text-ink data-[hovered]:bg-sunken data-[pressed]:bg-line",
  danger: "border border-bad bg-canvas text-bad data-[hovered]:bg-bad-soft",
};

const shape =
  "inline-flex shrink-0 cursor-default items-center justify-center gap-1.5 rounded-md font-medium whitespace-nowrap select-none data-[disabled]:opacity-45";

interface ButtonProps extends Omit<AriaButtonProps, "className" | "style" | "children"> {
  readonly look?: Look;
  readonly size?: "normal" | "small";
  readonly children: ReactNode;
}

export function Button({ look = "plain", size = "normal", children, ...rest }: ButtonProps): ReactElement {
  const space = size === "small" ? "h-7 px-2 text-xs" : "h-8 px-3 text-sm";
  return (
    <AriaButton {...rest} className={classes(shape, space, looks[look])}>
      {children}
    </AriaButton>
  );
}

interface IconButtonProps extends Omit<AriaButtonProps, "className" | "style" | "children" | "aria-label"> {
  /** Says what the button does: its name for assistive technology and its tooltip. */
  readonly label: string;
  readonly look?: Look;
  readonly size?: "normal" | "small";
  readonly children: ReactNode;
}

/** A button that shows only a picture; its name comes as a tooltip on hover and on focus. */
export function IconButton({
  label,
  look = "quiet",
  size = "normal",
  children,
  ...rest
}: IconButtonProps): ReactElement {
  const space = size === "small" ? "size-7" : "size-8";
  return (
    <Tooltip text={label}>
      <AriaButton {...rest} aria-label={label} className={classes(shape, space, looks[look])}>
        {children}
      </AriaButton>
    </Tooltip>
  );
}

interface TooltipProps {
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

interface HintProps {
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
