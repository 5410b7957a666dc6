import type { LucideIcon } from "lucide-react";
import type { ReactElement, ReactNode } from "react";
import * as Aria from "react-aria-components";
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

interface ButtonProps extends Omit<Aria.ButtonProps, "className" | "style" | "children"> {
  readonly look?: Look;
  readonly size?: "normal" | "small";
  /** A picture before the words. */
  readonly icon?: LucideIcon;
  readonly children: ReactNode;
}

export function Button({ look = "plain", size = "normal", icon: Icon, children, ...rest }: ButtonProps): ReactElement {
  const space = size === "small" ? "h-7 px-2 text-xs" : "h-8 px-3 text-sm";
  return (
    <Aria.Button {...rest} className={classes(shape, space, looks[look])}>
      {Icon && <Icon aria-hidden size={14} />}
      {children}
    </Aria.Button>
  );
}

interface IconButtonProps extends Omit<ButtonProps, "icon" | "children" | "aria-label"> {
  /** Says what the button does: its name for assistive technology and its tooltip. */
  readonly label: string;
  readonly icon: LucideIcon;
}

/** A button that shows only a picture; its name comes as a tooltip on hover and on focus. */
export function IconButton({
  label,
  look = "quiet",
  size = "normal",
  icon: Icon,
  ...rest
}: IconButtonProps): ReactElement {
  const isSmall = size === "small";
  return (
    <Tooltip text={label}>
      <Aria.Button {...rest} aria-label={label} className={classes(shape, isSmall ? "size-7" : "size-8", looks[look])}>
        <Icon aria-hidden size={isSmall ? 14 : 16} />
      </Aria.Button>
    </Tooltip>
  );
}

interface TooltipProps {
  readonly text: ReactNode;
  /** One element that can have the focus, such as a button of the kit; `Hint` wraps plain text. */
  readonly children: ReactElement;
}

function Tooltip({ text, children }: TooltipProps): ReactElement {
  return (
    <Aria.TooltipTrigger delay={500} closeDelay={100}>
      {children}
      <Aria.Tooltip
        placement="bottom"
        offset={6}
        className="max-w-xs rounded-md bg-ink px-2 py-1 text-xs text-canvas shadow-float"
      >
        {text}
      </Aria.Tooltip>
    </Aria.TooltipTrigger>
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
      <Aria.Focusable>
        {/* A text that explains itself must be reachable by keyboard too. */}
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
        <span role="note" tabIndex={0} className={className}>
          {children}
        </span>
      </Aria.Focusable>
    </Tooltip>
  );
}
