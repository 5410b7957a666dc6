import type { RouteReply } from "galley/api";
import type { ReactElement, ReactNode } from "react";
import { Link, navigate } from "../../frame/location.tsx";
import { pathTo } from "../../frame/routes.ts";
import { logsText } from "../../i18n/logs.ts";
import { useFormats, useText } from "../../i18n/use-text.ts";
import { Button, Hint } from "../../kit/button.tsx";
import { useDeed } from "../../kit/notices.tsx";
import { Table, type TableColumn } from "../../kit/table.tsx";
import { Tag } from "../../kit/tag.tsx";
import { When } from "../../kit/when.tsx";
import { Named } from "../../message/named.tsx";

export type LogItem = RouteReply<"logs.list">["logs"][number];

/** As the programs call themselves. */
const agentNames: Readonly<Record<string, string>> = {
  "claude-code": "Claude Code",
  codex: "Codex",
  "gemini-cli": "Gemini CLI",
  "copilot-cli": "Copilot CLI",
};

/** Sessions of agents, each with what leads to Inspect. */
export function LogTable({ logs }: { readonly logs: readonly LogItem[] }): ReactElement {
  const text = useText(logsText);
  const { number } = useFormats();
  const figure = (value: number | undefined): ReactNode => value ?? <Hint text={text.notRead}>–</Hint>;
  const columns: readonly TableColumn<LogItem>[] = [
    { label: text.session, cell: (log) => <LogTitle log={log} /> },
    { label: text.size, isNumber: true, isExtra: true, cell: ({ size }) => sizeText(size, number) },
    { label: text.tokens, isNumber: true, isExtra: true, cell: ({ tokens }) => figure(tokens) },
    { label: text.compactions, isNumber: true, isExtra: true, cell: ({ compactions }) => figure(compactions) },
    { label: text.updated, isExtra: true, cell: ({ updatedAt }) => <When at={updatedAt} /> },
    { label: text.open, isActions: true, cell: (log) => <OpenLog log={log} /> },
  ];
  return <Table label={text.sessions} columns={columns} rows={logs} rowKey={({ id }) => id} />;
}

function LogTitle({ log: { id, agent, title, isStored, subagents, folder } }: { readonly log: LogItem }): ReactElement {
  const text = useText(logsText);
  const { number } = useFormats();
  return (
    <div className="flex min-w-0 flex-col gap-0.5">
      <Named id={id} name={title ?? id} />
      <span className="flex flex-wrap items-center gap-1.5">
        <Tag>{agentNames[agent] ?? agent}</Tag>
        {folder !== undefined && (
          <Hint text={`${text.folder}: ${folder}`}>
            {/* Its last two names; the whole path on request. */}
            <span className="text-xs text-muted">{folder.split(/[\\/]/).slice(-2).join("/")}</span>
          </Hint>
        )}
        {isStored && <Tag tone="good">{text.stored}</Tag>}
        {subagents > 0 && <Tag>{text.subagents(number(subagents))}</Tag>}
      </span>
    </div>
  );
}

/** Imports the session and goes to Inspect; one that only the store has is there already. */
function OpenLog({ log: { id, title = id, file } }: { readonly log: LogItem }): ReactElement {
  const text = useText(logsText);
  const open = useDeed("logs.open");
  const go = (follow: boolean): void =>
    open.run({ params: { id } }, () => navigate(pathTo("sessions", { id }, follow ? { follow: 1 } : {})));
  if (file === undefined) {
    return (
      <Link href={pathTo("sessions", { id })} aria-label={text.openNamed(title)}>
        {text.open}
      </Link>
    );
  }
  return (
    <div className="flex gap-1.5">
      <Button size="small" isDisabled={open.isPending} aria-label={text.openNamed(title)} onPress={() => go(false)}>
        {open.isPending ? text.opening : text.open}
      </Button>
      <Button
        size="small"
        look="quiet"
        isDisabled={open.isPending}
        aria-label={text.followNamed(title)}
        onPress={() => go(true)}
      >
        {text.follow}
      </Button>
    </div>
  );
}

function sizeText(bytes: number | undefined, number: (value: number) => string): string {
  if (bytes === undefined) return "–";
  return bytes < 1_000_000 ? `${number(Math.ceil(bytes / 1000))} kB` : `${number(Math.round(bytes / 100_000) / 10)} MB`;
}
