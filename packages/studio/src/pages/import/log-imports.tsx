import type { RouteReply } from "galley/api";
import type { ReactElement } from "react";
import { ApiError } from "galley/api/client";
import { Link } from "../../frame/location.tsx";
import { pathTo } from "../../frame/routes.ts";
import { importText } from "../../i18n/import.ts";
import { useFormats, useText } from "../../i18n/use-text.ts";
import { ErrorNotice } from "../../kit/notices.tsx";
import { Section } from "../../kit/section.tsx";
import { Table } from "../../kit/table.tsx";
import type { DroppedLog } from "./import-logs.ts";
import { ReportTable } from "./report-table.tsx";

type ImportedSession = RouteReply<"logs.import">["sessions"][number];

/** Logs of agents that were dropped: how far each is, the sessions that it became, and what became of its records. */
export function LogImports({ logs }: { readonly logs: readonly DroppedLog[] }): ReactElement {
  const text = useText(importText);
  const { percent } = useFormats();
  const sessions = logs.flatMap(({ made }) => made?.sessions ?? []);
  const notes = logs.flatMap(({ name, made }) =>
    (made?.notes ?? []).map((note) => ({ ...note, path: note.path === "" ? name : `${name}: ${note.path}` })),
  );
  return (
    <>
      {logs.map(({ name, progress, error }) =>
        error ? (
          <ErrorNotice key={name} error={new ApiError({ ...error, message: `${name}: ${error.message}` }, 0)} />
        ) : progress < 1 ? (
          <p key={name} role="status">
            <span className="font-mono text-xs">{name}</span> {text.reading} {percent(progress)}
          </p>
        ) : null,
      )}
      {sessions.length > 0 && <ImportedSessions sessions={sessions} />}
      {notes.length > 0 && <ReportTable notes={notes} />}
    </>
  );
}

function ImportedSessions({ sessions }: { readonly sessions: readonly ImportedSession[] }): ReactElement {
  const text = useText(importText);
  const count = (id: "messages" | "calls" | "compactions", label: string) => ({
    label,
    isNumber: true,
    isExtra: id !== "messages",
    cell: ({ counts }: ImportedSession) => counts[id],
  });
  return (
    <Section title={text.sessions}>
      <Table
        label={text.sessions}
        rows={sessions}
        rowKey={({ id }) => id}
        columns={[
          {
            label: text.session,
            cell: ({ id, title }) => (
              <Link className="wrap-anywhere text-accent hover:underline" href={pathTo("sessions", { id })}>
                {title ?? <span className="font-mono">{id}</span>}
              </Link>
            ),
          },
          count("messages", text.messages),
          count("calls", text.toolCalls),
          count("compactions", text.compactions),
          { label: text.added, isNumber: true, cell: ({ added }) => added },
        ]}
      />
    </Section>
  );
}
