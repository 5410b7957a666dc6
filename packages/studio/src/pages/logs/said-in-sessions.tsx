import { type ReactElement, useDeferredValue } from "react";
import { Link } from "../../frame/location.tsx";
import { pathTo } from "../../frame/routes.ts";
import { logsText } from "../../i18n/logs.ts";
import { useText } from "../../i18n/use-text.ts";
import { useLoaded } from "../../kit/notices.tsx";

const maxMatches = 10;

/** Imported sessions in which the words were said, each with the best place in it [L4]. */
export function SaidInSessions({ wanted }: { readonly wanted: string }): ReactElement | null {
  const text = useText(logsText);
  const q = useDeferredValue(wanted.trim());
  const isEnabled = q !== "";
  const query = { q, limit: maxMatches };
  const { data, pending } = useLoaded("sessions.search", { query }, { isEnabled, keepPrevious: true });
  if (!isEnabled) return null;
  return (
    <section aria-label={text.said} className="flex flex-col gap-2">
      <h2 className="font-semibold">{text.said}</h2>
      {pending}
      {data?.matches.length === 0 && <p className="text-muted">{text.notSaid}</p>}
      <ul className="flex flex-col gap-2">
        {data?.matches.map(({ id, title = id, snippet, entryId }) => (
          <li key={id} className="rounded-md border border-line p-3">
            <p>
              <Link title={id} href={pathTo("sessions", { id }, { entry: entryId })}>
                {title}
              </Link>
            </p>
            <p className="mt-1 text-sm wrap-anywhere text-muted">{snippet}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}
