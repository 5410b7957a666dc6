import type { AnchorHTMLAttributes, MouseEvent, ReactElement } from "react";
import { navigate } from "./navigation-state.ts";

export interface LinkProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  /** A URL made by `pathTo`. */
  readonly href: string;
}

/** True for a click that the browser should handle itself: a new tab, a download, another button. */
function isForBrowser(event: MouseEvent<HTMLAnchorElement>): boolean {
  const { target } = event.currentTarget;
  return (
    event.button !== 0 ||
    event.metaKey ||
    event.ctrlKey ||
    event.shiftKey ||
    event.altKey ||
    (target !== "" && target !== "_self")
  );
}

/** A real link: the middle button and modifier keys do what they do everywhere. */
export function Link({ href, onClick, className, children, ...rest }: LinkProps): ReactElement {
  return (
    <a
      {...rest}
      href={href}
      className={className ?? "text-accent underline-offset-2 hover:underline"}
      onClick={(event) => {
        onClick?.(event);
        if (event.defaultPrevented || isForBrowser(event)) return;
        event.preventDefault();
        navigate(href);
      }}
    >
      {children}
    </a>
  );
}
