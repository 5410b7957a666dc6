import type { RouteReply } from "galley/api";
import { Bot, Plus } from "lucide-react";
import { type ReactElement, useState } from "react";
import { Link, navigate } from "../../frame/location.tsx";
import { Page } from "../../frame/page.tsx";
import { type PageParams, pathTo } from "../../frame/routes.ts";
import { agentDialogText } from "../../i18n/agent-dialog.ts";
import { agentsText } from "../../i18n/agents.ts";
import { useText } from "../../i18n/use-text.ts";
import { Button } from "../../kit/button.tsx";
import { EmptyState, useLoaded } from "../../kit/notices.tsx";
import { Tag } from "../../kit/tag.tsx";
import { CopyButton } from "../../message/copy-button.tsx";
import { AgentDetail } from "./agent-detail.tsx";
import { AgentDialog } from "./agent-dialog.tsx";
import {
  type Agent,
  AgentProblem,
  AgentState,
  CanvasFrame,
  ContextFill,
  StartStop,
  programName,
} from "./agent-parts.tsx";

/** The agents as cards, or one of them whole. */
export function AgentsPage({ params: { name: agent } }: PageParams<"agents">): ReactElement {
  return agent === undefined ? <AgentList /> : <AgentDetail key={agent} name={agent} />;
}

function AgentList(): ReactElement {
  const text = useText(agentsText);
  const words = useText(agentDialogText);
  const { data, pending } = useLoaded("agents.list", {});
  // The program that is to be added, or a choice of all.
  const [adding, setAdding] = useState<string>();
  return (
    <Page
      title={text.title}
      header={data?.config && <p className="break-all text-muted">{text.configFrom(data.config)}</p>}
      actions={
        <Button look="primary" icon={Plus} isDisabled={!data} onPress={() => setAdding("")}>
          {words.add}
        </Button>
      }
    >
      {pending}
      {adding !== undefined && data && (
        <AgentDialog
          list={data}
          program={adding}
          onClose={() => setAdding(undefined)}
          onSaved={(name) => navigate(pathTo("agents", { name }))}
        />
      )}
      {data?.agents.length === 0 && (
        <EmptyState icon={Bot} title={text.emptyTitle}>
          {text.emptyBody}
        </EmptyState>
      )}
      {data?.agents.length === 0 && <Programs programs={data.programs} onAdd={setAdding} />}
      <ul className="grid gap-4 md:grid-cols-2">
        {data?.agents.map((agent) => (
          <li key={agent.name}>
            <AgentCard agent={agent} programs={data.programs} />
          </li>
        ))}
      </ul>
    </Page>
  );
}

/** What stands before the command that installs a program. */
const notInstalled = "It is not installed: ";

interface ProgramsProps {
  readonly programs: RouteReply<"agents.list">["programs"];
  readonly onAdd: (program: string) => void;
}

/** The programs that Galley knows: those that are there can be added, the others say how they get there. */
function Programs({ programs, onAdd }: ProgramsProps): ReactElement {
  const text = useText(agentsText);
  const sorted = [...programs].sort((a, b) => Number(b.installed) - Number(a.installed));
  return (
    <ul aria-label={text.programs} className="mx-auto max-w-2xl divide-y divide-line rounded-md border border-line">
      {sorted.map(({ id, label, installed, why }) => (
        <li key={id} className="flex items-center gap-3 px-3 py-2">
          <div className="min-w-0 flex-1">
            <p className="flex flex-wrap items-center gap-2 font-medium">
              {label} {installed ? <Tag tone="good">{text.installed}</Tag> : <Tag>{text.notInstalled}</Tag>}
            </p>
            <p className="font-mono text-xs wrap-anywhere text-muted">{why.replace(notInstalled, "")}</p>
          </div>
          {why.startsWith(notInstalled) && <CopyButton text={why.slice(notInstalled.length)} />}
          {installed && (
            <Button size="small" aria-label={text.addProgram(label)} onPress={() => onAdd(id)}>
              {text.addShort}
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}

interface AgentCardProps extends Pick<ProgramsProps, "programs"> {
  readonly agent: Agent;
}

/** One agent at a glance: state, how full its context is, its canvas. */
function AgentCard({ agent, programs }: AgentCardProps): ReactElement {
  const text = useText(agentsText);
  const words = useText(agentDialogText);
  const { name, backendType, archetype, restarts, canvas, context } = agent;
  return (
    <article
      aria-label={name}
      className="flex h-full flex-col gap-3 rounded-lg border border-line bg-raised p-4"
      data-agent={name}
    >
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h2 className="text-base font-semibold">
          <Link href={pathTo("agents", { name })} aria-label={text.open(name)}>
            {name}
          </Link>
        </h2>
        <AgentState agent={agent} />
        <span className="ml-auto">
          <StartStop agent={agent} />
        </span>
        <p className="w-full text-xs text-muted">
          {programName(programs, backendType)} · {archetype}
          {restarts > 0 && ` · ${text.restarts(restarts)}`}
          {agent.from === "added" && ` · ${words.added}`}
          {agent.isBusy && ` · ${text.busy}`}
        </p>
      </header>
      <AgentProblem agent={agent} />
      <ContextFill context={context} />
      {canvas && canvas.title !== "" && <p className="text-xs text-muted">{canvas.title}</p>}
      {canvas && <CanvasFrame name={name} canvas={canvas} isSmall />}
    </article>
  );
}
