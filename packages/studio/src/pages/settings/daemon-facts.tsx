import type { ReactElement } from "react";
import { useApi } from "../../api/use-api.ts";
import { settingsText } from "../../i18n/settings.ts";
import { useFormats, useText } from "../../i18n/use-text.ts";
import { ErrorNotice } from "../../kit/error-notice.tsx";
import { Spinner } from "../../kit/spinner.tsx";
import { Section } from "./section.tsx";

/** What the daemon is, where it keeps its data, and the names of the secrets that it guards. */
export function DaemonFacts(): ReactElement {
  const text = useText(settingsText);
  const formats = useFormats();
  const { data, error, refetch } = useApi("info.get", {});
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return <Spinner />;
  const facts: readonly (readonly [string, string])[] = [
    [text.version, data.version],
    [text.data, data.data],
    [text.store, data.store === "sqlite" ? "SQLite" : "PostgreSQL"],
    [text.project, data.project],
    [text.config, data.config ?? text.noConfig],
    [text.started, formats.dateTime(data.startedAt)],
    [text.pid, String(data.pid)],
  ];
  return (
    <>
      <Section title={text.daemon}>
        <dl className="mt-2 grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-1">
          {facts.map(([name, value]) => (
            <div key={name} className="col-span-2 grid grid-cols-subgrid">
              <dt className="text-muted">{name}</dt>
              <dd className="font-mono text-xs leading-[1.5]">{value}</dd>
            </div>
          ))}
        </dl>
      </Section>
      <Section title={text.secrets} lead={text.secretsLead}>
        {data.secrets.length === 0 && <p>{text.noSecrets}</p>}
        <ul className="grid gap-1">
          {data.secrets.map((name) => (
            <li key={name} className="flex items-center gap-3">
              <span className="font-mono text-xs">{name}</span>
              <span className="text-muted">
                <span aria-hidden>••••••••</span> <span className="text-xs">{text.masked}</span>
              </span>
            </li>
          ))}
        </ul>
      </Section>
    </>
  );
}
