import type { ReactElement } from "react";
import { agentsText } from "../../i18n/agents.ts";
import { useText } from "../../i18n/use-text.ts";
import { Tag } from "../../kit/tag.tsx";
import type { AgentDetails } from "./agent-types.ts";

/** The providers in the order in which they are asked, with what each gave. */
export function ProviderList({ providers }: Pick<AgentDetails, "providers">): ReactElement {
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
