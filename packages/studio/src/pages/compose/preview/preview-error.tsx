import { CircleAlert } from "lucide-react";
import type { ReactElement } from "react";
import { composeText } from "../../../i18n/compose.ts";
import { useFormats, useText } from "../../../i18n/use-text.ts";
import { usePreview } from "../state/editor-state.ts";

/** Why nothing can be built, with the excess where it does not fit. */
export function PreviewError(): ReactElement | null {
  const text = useText(composeText);
  const formats = useFormats();
  const error = usePreview((state) => state.error);
  const hasPreview = usePreview((state) => state.preview !== undefined);
  if (!error) return null;
  const excess = error.code === "ContextOverflow" ? /is (\d+) tokens too large/.exec(error.message)?.[1] : undefined;
  return (
    <div role="alert" className="flex shrink-0 gap-2 border-b border-bad bg-bad-soft p-3 text-xs">
      <CircleAlert aria-hidden size={16} className="shrink-0 text-bad" />
      <div className="flex min-w-0 flex-col gap-1">
        <p className="font-semibold text-bad" data-excess={excess}>
          {excess === undefined ? text.cannotBuild : text.tooLarge(formats.number(Number(excess)))}
        </p>
        <p>{error.message}</p>
        {error.hint && <p>{error.hint}</p>}
        <p className="font-mono text-2xs text-muted">
          {error.code}
          {error.path && ` · ${error.path}`}
        </p>
        {hasPreview && <p className="text-muted">{text.showsBefore}</p>}
      </div>
    </div>
  );
}
