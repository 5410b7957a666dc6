import type { ReactElement, ReactNode } from "react";

export interface SectionProps {
  readonly title: string;
  readonly lead?: string;
  readonly children: ReactNode;
}

/** A part of Settings under its heading. */
export function Section({ title, lead, children }: SectionProps): ReactElement {
  return (
    <section aria-label={title}>
      <h2 className="text-base font-semibold">{title}</h2>
      {lead && <p className="mb-3 text-muted">{lead}</p>}
      {children}
    </section>
  );
}
