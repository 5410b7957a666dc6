import { type ReactElement, memo } from "react";
import { CircleAlert } from "lucide-react";
import { roughTokenizer } from "../../../document/rough-tokenizer.ts";
import { composeText } from "../../../i18n/compose.ts";
import { useFormats, useText } from "../../../i18n/use-text.ts";
import { BudgetSlider } from "./budget-slider.tsx";
import { usePreview } from "../state/editor-state.ts";
import { HistorySelect } from "./history-select.tsx";
import { NotSent } from "./not-sent.tsx";
import { PreviewFigures } from "./preview-figures.tsx";
import { PreviewMessages } from "./preview-messages.tsx";
import { RawButton } from "./raw-dialog.tsx";

/** What the model would read, to the byte, while it is being shaped. */
export const PreviewPanel = memo(function PreviewPanel(): ReactElement {
  const text = useText(composeText);
  const entries = usePreview((state) => state.entries.length);
  const isCounted = usePreview((state) => state.tokenizer !== roughTokenizer);
  return (
    <section
      aria-label={text.preview}
      data-entries={entries}
      data-counted={isCounted || undefined}
      className="flex min-h-0 min-w-0 flex-1 flex-col"
    >
      <div className="flex shrink-0 flex-col gap-2 border-b border-line px-3 pt-3 pb-2">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <h2 className="font-semibold max-lg:sr-only">{text.preview}</h2>
          <MessageCount />
          <span className="flex-1" />
          <HistorySelect />
          <RawButton />
        </div>
        <BudgetSlider />
        <PreviewFigures />
      </div>
      <PreviewError />
      <PreviewMessages />
      <NotSent />
    </section>
  );
});

function MessageCount(): ReactElement {
  const text = useText(composeText);
  const formats = useFormats();
  const count = usePreview((state) => state.preview?.build.messages.length ?? 0);
  const engineMs = usePreview((state) => state.engineMs);
  return (
    <span data-testid="message-count" data-engine-ms={engineMs} className="text-muted">
      {text.messagesCount(formats.number(count))}
    </span>
  );
}

/** Why nothing can be built, with the excess where it does not fit. */
function PreviewError(): ReactElement | null {
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
