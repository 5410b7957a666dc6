import type { ReactElement } from "react";
import { Link } from "../../frame/link.tsx";
import { pathTo } from "../../frame/routes.ts";
import { agentsText } from "../../i18n/agents.ts";
import { useText } from "../../i18n/use-text.ts";
import { AgentState } from "./agent-state.tsx";
import { CanvasFrame } from "./canvas-frame.tsx";
import { ContextFill } from "./context-fill.tsx";
import { StartStop } from "./start-stop.tsx";
import type { Agent } from "./agent-types.ts";

/** One agent at a glance: state, how full its context is, its canvas. */
export function AgentCard({ agent }: { readonly agent: Agent }): ReactElement {
  const text = useText(agentsText);
  const { name, backendType, archetype, pid, restarts, canvas, context } = agent;
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
          {backendType} · {archetype}
          {pid !== undefined && ` · ${text.pid(pid)}`}
          {restarts > 0 && ` · ${text.restarts(restarts)}`}
        </p>
      </header>
      <ContextFill context={context} />
      {canvas && canvas.title !== "" && <p className="text-xs text-muted">{canvas.title}</p>}
      {canvas && <CanvasFrame name={name} canvas={canvas} isSmall />}
    </article>
  );
}
