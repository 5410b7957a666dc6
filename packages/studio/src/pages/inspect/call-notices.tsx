import type { ReactElement } from "react";
import { inspectText } from "../../i18n/inspect.ts";
import { useText } from "../../i18n/use-text.ts";
import type { Call } from "./call-summary.tsx";

/** What the build noticed: an unknown placeholder, a damaged entry. */
export function CallNotices({ call }: { readonly call: Call }): ReactElement | null {
  const text = useText(inspectText);
  const { problems } = call;
  if (problems.length === 0) return null;
  return (
    <details className="border-b border-line bg-warn-soft px-4 py-2">
      <summary className="font-medium text-warn">{text.problems(problems.length)}</summary>
      <ul className="mt-1 flex flex-col gap-1">
        {problems.map(({ code, path, message, hint }) => (
          <li key={`${code} ${path} ${message}`}>
            {message} {hint}
            <span className="ml-2 font-mono text-xs text-muted">
              {code} {path}
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}
