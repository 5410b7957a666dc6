import type { ReactElement } from "react";
import { Link } from "../../frame/link.tsx";
import { homeText } from "../../i18n/home.ts";
import { useFormats, useText } from "../../i18n/use-text.ts";
import { ErrorNotice } from "../../kit/error-notice.tsx";
import { Spinner } from "../../kit/spinner.tsx";

interface RecentItem {
  readonly key: string;
  readonly label: string;
  readonly note: string;
  /** 0 for what was always there. */
  readonly at: number;
  readonly href: string;
}

export interface RecentListProps {
  readonly title: string;
  readonly empty: string;
  readonly items: readonly RecentItem[];
  readonly query: { readonly isPending: boolean; readonly error: Error | null; readonly refetch: () => unknown };
  /** Where the whole list is. */
  readonly all: string;
}

const shown = 6;

/** The latest few of something, or a sentence that says how the first one comes about. */
export function RecentList({ title, empty, items, query, all }: RecentListProps): ReactElement {
  const text = useText(homeText);
  const formats = useFormats();
  const newest = items.toSorted((a, b) => b.at - a.at).slice(0, shown);
  return (
    <section aria-label={title} className="min-w-0">
      <div className="mb-1 flex items-baseline gap-2 border-b border-line pb-1">
        <h2 className="flex-1 text-base font-semibold">{title}</h2>
        {items.length > shown && <Link href={all}>{`${text.all} (${formats.number(items.length)})`}</Link>}
      </div>
      {query.isPending && <Spinner />}
      {query.error && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending || query.error || items.length > 0 ? null : <p className="py-2 text-muted">{empty}</p>}
      <ul>
        {newest.map((item) => (
          <li key={item.key}>
            <Link
              href={item.href}
              className="flex flex-col rounded-md px-2 py-1.5 -outline-offset-2 hover:bg-sunken"
              title={item.label}
            >
              <span className="truncate font-medium">{item.label}</span>
              <span className="truncate text-xs text-muted">
                {[item.note, item.at > 0 && formats.dateTime(item.at)].filter(Boolean).join(" · ")}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
