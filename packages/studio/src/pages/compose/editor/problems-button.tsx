import { TriangleAlert } from "lucide-react";
import type { ReactElement } from "react";
import { Dialog, DialogTrigger, Popover } from "react-aria-components";
import { composeText } from "../../../i18n/compose.ts";
import { useText } from "../../../i18n/use-text.ts";
import { Button } from "../../../kit/button.tsx";
import { classes, floating } from "../../../kit/classes.ts";
import { usePreview } from "../state/editor-state.ts";

/** Everything that is wrong with the preset, each with its path and what to do. */
export function ProblemsButton(): ReactElement | null {
  const text = useText(composeText);
  const problems = usePreview((state) => state.problems);
  if (problems.length === 0) return null;
  const hasError = problems.some(({ severity }) => severity === "error");
  return (
    <DialogTrigger>
      <Button size="small" look={hasError ? "danger" : "plain"}>
        <TriangleAlert aria-hidden size={14} />
        {text.problems(problems.length)}
      </Button>
      <Popover className={classes(floating, "w-96 max-w-[calc(100vw-1rem)]")}>
        <Dialog aria-label={text.problems(problems.length)} className="max-h-96 overflow-y-auto p-2 outline-none">
          <ul className="flex flex-col gap-2">
            {problems.map(({ code, path, message, hint, severity }) => (
              <li key={`${code} ${path} ${message}`} className="rounded-md border border-line p-2">
                <p className={severity === "error" ? "font-medium text-bad" : "font-medium text-warn"}>{message}</p>
                {hint && <p>{hint}</p>}
                <p className="font-mono text-2xs text-muted">
                  {code}
                  {path && ` · ${path}`}
                </p>
              </li>
            ))}
          </ul>
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}
