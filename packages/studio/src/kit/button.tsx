import type { ReactElement, ReactNode } from "react";
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from "react-aria-components";
import { classes } from "./classes.ts";
import { Tooltip } from "./tooltip.tsx";

type Look = "plain" | "primary" | "quiet" | "danger";

const looks: Readonly<Record<Look, string>> = {
  plain: "border border-line bg-canvas text-ink data-[hovered]:bg-sunken data-[pressed]:bg-line",
  primary: "border border-transparent bg-accent text-on-accent data-[hovered]:opacity-90 data-[pressed]:opacity-80",
  quiet: "border border-transparent text-ink data-[hovered]:bg-sunken data-[pressed]:bg-line",
  danger: "border border-bad bg-canvas text-bad data-[hovered]:bg-bad-soft",
};

const shape =
  "inline-flex shrink-0 cursor-default items-center justify-center gap-1.5 rounded-md font-medium whitespace-nowrap select-none data-[disabled]:opacity-45";

export interface ButtonProps extends Omit<AriaButtonProps, "className" | "style" | "children"> {
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

export interface IconButtonProps extends Omit<AriaButtonProps, "className" | "style" | "children" | "aria-label"> {
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
