import type { ReactElement } from "react";
import { Meter } from "react-aria-components";
import { agentsText } from "../../i18n/agents.ts";
import { useFormats, useText } from "../../i18n/use-text.ts";
import type { Agent } from "./agent-types.ts";

/** How full the agent's window is, as far as it tells. */
export function ContextFill({ context }: Pick<Agent, "context">): ReactElement {
  const text = useText(agentsText);
  const formats = useFormats();
  if (!context || context.size <= 0) {
    return (
      <p className="text-xs text-muted">
        {text.context}: {text.contextUnknown}
      </p>
    );
  }
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
