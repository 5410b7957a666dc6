import { type ReactElement, useState } from "react";
import { useAction, useApi } from "../../api/use-api.ts";
import { Link, navigate } from "../../frame/location.tsx";
import { Page } from "../../frame/page.tsx";
import { pathTo } from "../../frame/routes.ts";
import { agentDialogText } from "../../i18n/agent-dialog.ts";
import { agentsText } from "../../i18n/agents.ts";
import { useFormats, useText } from "../../i18n/use-text.ts";
import { Button } from "../../kit/button.tsx";
import { Ask } from "../../kit/dialog.tsx";
import { showToast, useDeed, useLoaded } from "../../kit/notices.tsx";
import { Table, type TableProps } from "../../kit/table.tsx";
import { ContextPanel } from "../chats/context-panel.tsx";
import { AgentDialog } from "./agent-dialog.tsx";
import { AgentPrompt } from "./agent-prompt.tsx";
import {
  type AgentDetails,
  AgentProblem,
  AgentState,
  CanvasFrame,
  ContextFill,
  StartStop,
  programName,
} from "./agent-parts.tsx";
import { Tag } from "../../kit/tag.tsx";
import { Section } from "../../kit/section.tsx";

/** One agent: what it does now, what was said, and what its sessions are given; its contexts beside it, as in chats. */
export function AgentDetail({ name }: { readonly name: string }): ReactElement {
  const text = useText(agentsText);
  const chat = `agent:${name}`;
  const { data, pending } = useLoaded("agents.get", { params: { name } });
  const contexts = useApi("chats.get", { params: { key: chat } }).data;
  return (
    <Page
      layout="fill"
      title={name}
      header={<Link href={pathTo("agents", {})}>{text.all}</Link>}
      actions={data?.from === "added" && <OwnActions agent={data} />}
    >
      {pending && <div className="p-4">{pending}</div>}
      {data && (
        <div className="flex min-h-0 flex-1 max-lg:flex-col max-lg:overflow-y-auto">
          <div className="flex min-w-0 flex-1 flex-col gap-7 p-4 lg:overflow-y-auto">
            <Now agent={data} />
            <div className={data.canvas ? "grid gap-7 xl:grid-cols-2" : "grid gap-7"}>
              <Section title={text.prompt}>
                <AgentPrompt name={name} isRunning={data.state === "running"} asked={data.asked} />
                <p className="mt-2">
                  <Link href={pathTo("chats", { key: chat })}>{text.asChat}</Link>
                </p>
              </Section>
              <Canvas agent={data} />
            </div>
            <Section title={text.providers} lead={text.providersLead}>
              <ProviderList providers={data.providers} />
            </Section>
            <Servers agent={data} />
            <Tools agent={data} />
            <Hidden agent={data} />
          </div>
          {contexts && <ContextPanel chat={chat} data={contexts} />}
        </div>
      )}
    </Page>
  );
}

/** How it is, what it is, and how full its window is. */
function Now({ agent }: { readonly agent: AgentDetails }): ReactElement {
  const text = useText(agentsText);
  const { restarts, declared } = agent;
  const { programs = [] } = useApi("agents.list", {}).data ?? {};
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-3">
        <AgentState agent={agent} />
        <span className="text-muted">
          {programName(programs, agent.backendType)} · {agent.archetype}
          {restarts > 0 && ` · ${text.restarts(restarts)}`}
        </span>
        <StartStop agent={agent} />
      </div>
      <p className="text-xs text-muted">
        <Code>{declared.command}</Code> · <Code>{declared.cwd}</Code>
        {declared.preset !== undefined && ` · ${text.presetNamed(declared.preset)}`}
        {declared.model !== undefined && ` · ${declared.model}`}
      </p>
      <AgentProblem agent={agent} />
      <ContextFill context={agent.context} />
    </div>
  );
}

/** For one that was added here: those of galley.config are changed there. */
function OwnActions({ agent }: { readonly agent: AgentDetails }): ReactElement {
  const text = useText(agentDialogText);
  const { name } = agent;
  const list = useApi("agents.list", {}).data;
  const remove = useAction("agents.delete");
  const [isChanging, setIsChanging] = useState(false);
  return (
    <>
      <Button isDisabled={!list} aria-label={text.changeOne(name)} onPress={() => setIsChanging(true)}>
        {text.change}
      </Button>
      {isChanging && list && <AgentDialog list={list} agent={agent} onClose={() => setIsChanging(false)} />}
      <Ask
        by={(ask) => (
          <Button aria-label={text.removeOne(name)} onPress={ask}>
            {text.remove}
          </Button>
        )}
        title={text.removeTitle(name)}
        confirm={text.remove}
        isDangerous
        onConfirm={async () => {
          await remove.mutateAsync({ params: { name } });
          navigate(pathTo("agents", {}));
        }}
      >
        <p>{text.removeLead}</p>
      </Ask>
    </>
  );
}

function Canvas({ agent }: { readonly agent: AgentDetails }): ReactElement {
  const text = useText(agentsText);
  const formats = useFormats();
  const clear = useDeed("agents.clearCanvas");
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
              onPress={() => clear.run({ params: { name } }, () => showToast({ text: text.canvasCleared }))}
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
        { label: text.server, cell: ({ name }) => <Code>{name}</Code> },
        {
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
        { label: text.tool, cell: ({ name }) => <Code>{name}</Code> },
        { label: text.about, cell: ({ description }) => description },
        { label: text.scope, isExtra: true, cell: ({ scope }) => scope },
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
        { label: text.tool, cell: ({ name }) => <Code>{name}</Code> },
        { label: text.because, cell: ({ reason }) => reason },
        { label: text.provider, isExtra: true, cell: ({ provider }) => provider },
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
