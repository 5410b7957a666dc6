import type { ReactElement, ReactNode } from "react";

interface SectionProps {
  readonly title: string;
  readonly lead?: string;
  readonly children: ReactNode;
}

/** A part of a page under its heading. */
export function Section({ title, lead, children }: SectionProps): ReactElement {
  return (
    <section aria-label={title}>
      <h2 className="text-base font-semibold">{title}</h2>
      {lead && <p className="text-muted">{lead}</p>}
      <div className={lead ? "mt-3" : "mt-2"}>{children}</div>
    </section>
  );
}
