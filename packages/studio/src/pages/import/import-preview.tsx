import { composePreset, provenance, view } from "@galley/engine";
import { type ReactElement, useMemo } from "react";
import { importText } from "../../i18n/import.ts";
import { useText } from "../../i18n/use-text.ts";
import { messageText } from "../../message/message-blocks.ts";
import type { ReadImport } from "./read-import.ts";

/** So many messages are shown from each end. */
const shown = 20;

export interface ImportPreviewProps {
  readonly made: ReadImport;
  readonly isSaved: boolean;
}

/** What a model would read of an import. Everything is plain text. */
export function ImportPreview({ made, isSaved }: ImportPreviewProps): ReactElement {
  const text = useText(importText);
  const { messages, sources } = useMemo(() => {
    const history = view(made.entries).messages;
    const preset = made.preset ?? { presetMessages: [{ id: "history", role: "user", type: "chat_history" } as const] };
    const composed = composePreset({ preset, history });
    return { messages: composed.messages, sources: provenance(composed.ledger) };
  }, [made]);
  const rows = messages.map((message, index) => ({ message, index }));
  const hidden = Math.max(0, rows.length - 2 * shown);
  const visible = hidden === 0 ? rows : [...rows.slice(0, shown), ...rows.slice(-shown)];
  return (
    <section aria-label={text.preview}>
      <h2 className="mb-2 text-base font-semibold">{text.preview}</h2>
      {!isSaved && <p className="mb-2 text-muted">{text.previewLead}</p>}
      <ol className="flex flex-col divide-y divide-line rounded-md border border-line">
        {visible.map(({ message, index }) => (
          <li key={index} className="px-3 py-2">
            {hidden > 0 && index === rows.length - shown && <p className="mb-2 text-muted">{text.more(hidden)}</p>}
            <p className="text-xs text-muted">
              <span className="font-mono font-semibold text-ink">{message.role}</span> {text.from}{" "}
              <span className="font-mono">{sources[index]?.map(({ id }) => id).join(" + ")}</span>
            </p>
            <p className="line-clamp-4 font-mono text-xs leading-5 break-words whitespace-pre-wrap">
              {messageText(message.content)}
            </p>
          </li>
        ))}
      </ol>
    </section>
  );
}
