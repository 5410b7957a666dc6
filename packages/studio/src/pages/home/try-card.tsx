import type { ReactElement } from "react";
import { Link } from "../../frame/link.tsx";

export interface TryCardProps {
  readonly icon: ReactElement;
  readonly title: string;
  readonly body: string;
  readonly action: string;
  readonly href: string;
}

export function TryCard({ icon, title, body, action, href }: TryCardProps): ReactElement {
  return (
    <li className="flex flex-col gap-1.5 rounded-lg border border-line bg-raised p-4">
      <span className="flex items-center gap-2 text-accent">
        {icon}
        <h3 className="font-semibold text-ink">{title}</h3>
      </span>
      <p className="flex-1 text-muted">{body}</p>
      <Link href={href} className="mt-1 w-fit rounded font-medium text-accent underline-offset-2 hover:underline">
        {action}
      </Link>
    </li>
  );
}
