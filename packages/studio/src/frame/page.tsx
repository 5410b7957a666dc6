import { type ReactElement, type ReactNode, useEffect } from "react";
import { Link } from "./location.tsx";

export interface PageProps {
  /** The page's one heading; also the title of the document. */
  readonly title: string;
  /** Shown beside the heading: what the page is set to (a model, a chat). */
  readonly header?: ReactNode;
  /** Shown at the right end: what can be done here. */
  readonly actions?: ReactNode;
  /** "fill" gives the page the whole window and leaves scrolling to its panes; "flow" scrolls as one, centred. */
  readonly layout?: "flow" | "fill";
  readonly children: ReactNode;
}

/** What every page is wrapped in: heading, header row, content. The frame moves the focus to the heading on navigation. */
export function Page({ title, header, actions, layout = "flow", children }: PageProps): ReactElement {
  useEffect(() => {
    document.title = `${title} · Galley Studio`;
  }, [title]);
  const isFlow = layout === "flow";
  return (
    <div className="flex h-full min-h-0 min-w-0 flex-1 flex-col">
      <header className="flex min-h-12 shrink-0 flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-4 py-2 xl:flex-nowrap">
        {/* On a phone the way back says it as well. */}
        <h1
          id="page-heading"
          tabIndex={-1}
          className="text-lg font-semibold max-md:has-[+div>nav]:sr-only xl:max-w-1/3 xl:truncate"
        >
          {title}
        </h1>
        {header && <div className="flex min-w-0 flex-wrap items-center gap-3 xl:flex-1">{header}</div>}
        {actions && <div className="ml-auto flex flex-wrap items-center gap-2 xl:shrink-0">{actions}</div>}
      </header>
      <div className={isFlow ? "min-h-0 flex-1 overflow-y-auto" : "flex min-h-0 min-w-0 flex-1 flex-col"}>
        {isFlow ? <div className="mx-auto w-full max-w-5xl px-4 py-5">{children}</div> : children}
      </div>
    </div>
  );
}

interface CrumbsProps {
  /** What the link leads back to. */
  readonly label: string;
  readonly href: string;
  readonly children: ReactNode;
}

/** For the header of a page that shows one of many: the way back to all of them, and which one it is. */
export function Crumbs({ label, href, children }: CrumbsProps): ReactElement {
  return (
    <nav aria-label={label} className="flex min-w-0 flex-wrap items-center gap-2 xl:flex-nowrap xl:whitespace-nowrap">
      <Link href={href}>{label}</Link>
      <span aria-hidden className="text-muted">
        /
      </span>
      {children}
    </nav>
  );
}
