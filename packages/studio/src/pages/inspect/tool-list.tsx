import type { ToolSpec } from "@galley/engine";
import type { ReactElement } from "react";
import { inspectText } from "../../i18n/inspect.ts";
import { useText } from "../../i18n/use-text.ts";
import { jsonText } from "../../message/message-blocks.ts";

/** The tools that the model was offered, in the order in which they were sent. */
export function ToolList({ tools }: { readonly tools: readonly ToolSpec[] }): ReactElement {
  const text = useText(inspectText);
  if (tools.length === 0) return <p className="p-4 text-muted">{text.noTools}</p>;
  return (
    <ul>
      {tools.map((tool) => (
        <li key={tool.name} className="border-b border-line px-4 py-2">
          <p className="font-mono font-semibold">{tool.name}</p>
          {tool.description && <p className="text-muted">{tool.description}</p>}
          <details className="mt-1">
            <summary className="text-xs text-muted">{text.schema}</summary>
            <pre className="mt-1 overflow-auto rounded-sm bg-sunken p-2 font-mono text-xs whitespace-pre-wrap">
              {jsonText(tool.inputSchema)}
            </pre>
          </details>
        </li>
      ))}
    </ul>
  );
}
