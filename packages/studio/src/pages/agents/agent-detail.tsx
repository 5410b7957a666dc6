import type { ReactElement } from "react";
import { useAction } from "../../api/use-api.ts";
import { agentsText } from "../../i18n/agents.ts";
import { useFormats, useText } from "../../i18n/use-text.ts";
import { Button } from "../../kit/button.tsx";
import { showProblem, showToast, useLoaded } from "../../kit/notices.tsx";
import { Table, type TableProps } from "../../kit/table.tsx";
import { AgentPrompt } from "./agent-prompt.tsx";
import { type AgentDetails, AgentState, CanvasFrame, ContextFill, StartStop } from "./agent-parts.tsx";
import { Tag } from "../../kit/tag.tsx";
import { Section } from "../../kit/section.tsx";

/** One agent: what it does now, and what its sessions are given. */
export function AgentDetail({ name }: { readonly name: string }): ReactElement {
  const text = useText(agentsText);
  const { data, pending } = useLoaded("agents.get", { params: { name } });
  if (pending) return pending;
  const { pid, restarts } = data;
  return (
    <div className="flex flex-col gap-7">
      <div className="flex flex-wrap items-center gap-3">
        <AgentState agent={data} />
        <span className="text-muted">
          {data.backendType} · {data.archetype}
          {pid !== undefined && ` · ${text.pid(pid)}`}
          {restarts > 0 && ` · ${text.restarts(restarts)}`}
        </span>
        <StartStop agent={data} />
      </div>
      <ContextFill context={data.context} />
      <Section title={text.prompt}>
        <AgentPrompt name={name} isRunning={data.state === "running"} />
      </Section>
      <Canvas agent={data} />
      <Section title={text.providers} lead={text.providersLead}>
        <ProviderList providers={data.providers} />
      </Section>
      <Servers agent={data} />
      <Tools agent={data} />
      <Hidden agent={data} />
    </div>
  );
}

function Canvas({ agent }: { readonly agent: AgentDetails }): ReactElement {
  const text = useText(agentsText);
  const formats = useFormats();
  const clear = useAction("agents.clearCanvas");
  const { name, canvas } = agent;
  return (
    <Section title={text.canvas}>
      {!canvas && <p className="text-muted">{text.noCanvas}</p>}
      {canvas && (
        <>
          <div className="mb-2 flex flex-wrap items-center gap-3 text-muted">
            <span className="font-medium text-ink">{canvas.title}</span>
            {text.canvasVersion(canvas.version, formats.dateTime(canvas.updatedAt))}
            <Button
              size="small"
              onPress={() =>
                clear.mutate(
                  { params: { name } },
                  { onSuccess: () => showToast({ text: text.canvasCleared }), onError: showProblem },
                )
              }
            >
              {text.clearCanvas}
            </Button>
          </div>
          <CanvasFrame name={name} canvas={canvas} />
        </>
      )}
    </Section>
  );
}

function Servers({ agent: { mcpServers } }: { readonly agent: AgentDetails }): ReactElement {
  const text = useText(agentsText);
  return (
    <ListPart
      title={text.servers}
      none={text.noServers}
      rows={mcpServers}
      rowKey={({ name }) => name}
      columns={[
        { id: "name", label: text.server, cell: ({ name }) => <Code>{name}</Code> },
        {
          id: "target",
          label: text.target,
          cell: ({ kind, target }) => (
            <>
              {kind} <Code>{target}</Code>
            </>
          ),
        },
      ]}
    />
  );
}

function Tools({ agent: { tools } }: { readonly agent: AgentDetails }): ReactElement {
  const text = useText(agentsText);
  return (
    <ListPart
      title={text.tools}
      isCounted
      rows={tools}
      rowKey={({ name }) => name}
      columns={[
        { id: "name", label: text.tool, cell: ({ name }) => <Code>{name}</Code> },
        { id: "about", label: text.about, cell: ({ description }) => description },
        { id: "scope", label: text.scope, isExtra: true, cell: ({ scope }) => scope },
      ]}
    />
  );
}

function Hidden({ agent: { hidden } }: { readonly agent: AgentDetails }): ReactElement {
  const text = useText(agentsText);
  return (
    <ListPart
      title={text.hidden}
      isCounted
      none={text.noHidden}
      rows={hidden}
      rowKey={({ kind, name, provider }) => `${kind} ${name} ${provider}`}
      columns={[
        { id: "name", label: text.tool, cell: ({ name }) => <Code>{name}</Code> },
        { id: "reason", label: text.because, cell: ({ reason }) => reason },
        { id: "provider", label: text.provider, isExtra: true, cell: ({ provider }) => provider },
      ]}
    />
  );
}

interface ListPartProps<Row> extends Omit<TableProps<Row>, "label"> {
  readonly title: string;
  readonly isCounted?: boolean;
  /** What is said when there are none; without it an empty table says so. */
  readonly none?: string;
}

function ListPart<Row>({ title, isCounted, none, ...table }: ListPartProps<Row>): ReactElement {
  const { length } = table.rows;
  return (
    <Section title={isCounted ? `${title} (${length})` : title}>
      {none !== undefined && length === 0 ? <p className="text-muted">{none}</p> : <Table label={title} {...table} />}
    </Section>
  );
}

function Code({ children }: { readonly children: string }): ReactElement {
  return <span className="font-mono text-xs break-all">{children}</span>;
}

/** The providers in the order in which they are asked, with what each gave. */
function ProviderList({ providers }: Pick<AgentDetails, "providers">): ReactElement {
  const text = useText(agentsText);
  return (
    <ol className="flex flex-col divide-y divide-line rounded-md border border-line">
      {providers.map(({ name, status, reason, mcpServers, tools, systemContext }, index) => {
        const given = [...mcpServers, ...tools];
        return (
          <li key={name} className="flex flex-col gap-1 px-3 py-2">
            <div className="flex flex-wrap items-center gap-3">
              <span className="text-xs text-muted tabular-nums">{index + 1}</span>
              <span className="font-mono text-xs font-semibold">{name}</span>
              <Tag tone={status === "ready" ? "good" : "bad"}>{status === "ready" ? text.ready : text.unavailable}</Tag>
              {reason !== undefined && <span className="text-bad">{reason}</span>}
              {given.length === 0 && systemContext === undefined && status === "ready" && (
                <span className="text-muted">{text.nothing}</span>
              )}
              {given.map((item) => (
                <Tag key={item} mono>
                  {item}
                </Tag>
              ))}
            </div>
            {systemContext !== undefined && (
              <details>
                <summary className="cursor-default text-xs text-muted">
                  {text.systemText}: {text.showText}
                </summary>
                <pre className="mt-1 max-h-72 overflow-y-auto rounded bg-sunken p-2 font-mono text-xs break-words whitespace-pre-wrap">
                  {systemContext}
                </pre>
              </details>
            )}
          </li>
        );
      })}
    </ol>
  );
}
