import type { RouteReply } from "galley/api";
import type { ReactElement } from "react";
import { Meter } from "react-aria-components";
import { useAction } from "../../api/use-api.ts";
import { agentsText } from "../../i18n/agents.ts";
import { useFormats, useText } from "../../i18n/use-text.ts";
import { Button } from "../../kit/button.tsx";
import { showProblem } from "../../kit/notices.tsx";
import { Tag } from "../../kit/tag.tsx";

export type Agent = RouteReply<"agents.list">["agents"][number];

export type AgentDetails = RouteReply<"agents.get">;

const tones = { stopped: "plain", starting: "accent", running: "good", restarting: "warn", failed: "bad" } as const;

/** With its process, for those who look for it, in the tooltip. */
export function AgentState({ agent: { state, pid } }: { readonly agent: Pick<Agent, "state" | "pid"> }): ReactElement {
  const text = useText(agentsText);
  return (
    <span title={pid === undefined ? undefined : text.pid(pid)}>
      <Tag tone={tones[state]}>{text.states[state]}</Tag>
    </span>
  );
}

/** A program as it calls itself. */
export function programName(programs: RouteReply<"agents.list">["programs"], backendType: string): string {
  return programs.find(({ id }) => id === backendType)?.label ?? backendType;
}

/** A start that fails is on the card, with its reason. */
export function StartStop({ agent }: { readonly agent: Pick<Agent, "name" | "state"> }): ReactElement {
  const text = useText(agentsText);
  const start = useAction("agents.start");
  const stop = useAction("agents.stop");
  const { name, state } = agent;
  const isStopped = state === "stopped" || state === "failed";
  const action = isStopped ? start : stop;
  return (
    <Button
      size="small"
      look={isStopped ? "primary" : "plain"}
      aria-label={isStopped ? text.startNamed(name) : text.stopNamed(name)}
      isDisabled={action.isPending}
      onPress={() => action.mutate({ params: { name } }, isStopped ? {} : { onError: showProblem })}
    >
      {isStopped ? text.start : text.stop}
    </Button>
  );
}

/** Why it does not run as it should, for as long as that is so. */
export function AgentProblem({ agent: { problem } }: { readonly agent: Pick<Agent, "problem"> }): ReactElement | null {
  if (problem === undefined) return null;
  return (
    <p
      role="alert"
      className="rounded-md border border-line border-l-4 border-l-bad p-2 break-words whitespace-pre-wrap text-bad"
    >
      {problem}
    </p>
  );
}

/** How full the agent's window is, as far as it tells. */
export function ContextFill({ context }: Pick<Agent, "context">): ReactElement | null {
  const text = useText(agentsText);
  const formats = useFormats();
  if (!context || context.size <= 0) return null;
  const share = Math.min(1, context.used / context.size);
  const label = text.contextUsed(formats.number(context.used), formats.number(context.size), formats.percent(share));
  return (
    <Meter value={share * 100} aria-label={text.context} valueLabel={label} className="flex flex-col gap-1">
      <span className="flex justify-between text-xs text-muted">
        <span>{text.context}</span>
        <span className="tabular-nums">{label}</span>
      </span>
      <span className="h-2 overflow-hidden rounded bg-sunken">
        <span
          className={`block h-full ${share > 0.9 ? "bg-bad" : share > 0.7 ? "bg-warn" : "bg-accent"}`}
          style={{ width: `${share * 100}%` }}
        />
      </span>
    </Meter>
  );
}

interface CanvasFrameProps {
  readonly name: string;
  readonly canvas: { readonly version: number; readonly title: string };
  readonly isSmall?: boolean;
}

/**
 * The page that an agent drew. The daemon hands it out with a policy that forbids everything; the sandbox here forbids it
 * once more. The version in the address makes the frame reload when the agent has drawn again.
 */
export function CanvasFrame({ name, canvas, isSmall = false }: CanvasFrameProps): ReactElement {
  const text = useText(agentsText);
  return (
    <iframe
      sandbox=""
      referrerPolicy="no-referrer"
      loading="lazy"
      title={`${text.canvas}: ${canvas.title || name}`}
      src={`/canvas/${encodeURIComponent(name)}?version=${canvas.version}`}
      className={`w-full rounded-md border border-line bg-[#ffffff] ${isSmall ? "h-40" : "h-96"}`}
    />
  );
}
