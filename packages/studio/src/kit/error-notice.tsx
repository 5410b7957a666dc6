import { CircleAlert } from "lucide-react";
import type { ReactElement, ReactNode } from "react";
import { offlineCode } from "galley/api/client";
import { describeError } from "../api/describe-error.ts";
import { frameText } from "../i18n/frame.ts";
import { useText } from "../i18n/use-text.ts";
import { Button } from "./button.tsx";

export interface ErrorNoticeProps {
  readonly error: unknown;
  readonly onRetry?: () => void;
  readonly actions?: ReactNode;
}

/** Says what went wrong, where, and what to do about it. */
export function ErrorNotice({ error, onRetry, actions }: ErrorNoticeProps): ReactElement {
  const text = useText(frameText);
  const { code, path, problems = [], ...said } = describeError(error);
  // The only error that the page makes itself; the others come from the daemon in words.
  const { message, hint } = code === offlineCode ? { message: text.offlineTitle, hint: text.offlineHint } : said;
  return (
    <div role="alert" className="flex gap-3 rounded-md border border-bad bg-bad-soft p-3 text-ink">
      <CircleAlert aria-hidden size={18} className="mt-px shrink-0 text-bad" />
      <div className="flex min-w-0 flex-1 flex-col gap-1">
        <p className="font-medium">{message}</p>
        {hint && (
          <p>
            <span className="text-muted">{text.whatToDo}: </span>
            {hint}
          </p>
        )}
        <p className="font-mono text-xs text-muted">
          {code}
          {path && ` · ${path}`}
        </p>
        {problems.length > 1 && (
          <ul className="list-disc pl-4">
            {problems.map((problem) => (
              <li key={`${problem.path} ${problem.message}`}>
                {problem.path && <span className="font-mono text-xs">{problem.path}: </span>}
                {problem.message} {problem.hint}
              </li>
            ))}
          </ul>
        )}
        {(onRetry || actions) && (
          <div className="mt-1 flex flex-wrap gap-2">
            {onRetry && (
              <Button size="small" onPress={onRetry}>
                {text.retry}
              </Button>
            )}
            {actions}
          </div>
        )}
      </div>
    </div>
  );
}
