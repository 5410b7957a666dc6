import type { LedgerRow } from "@galley/engine";
import { describeRow } from "@galley/engine/proof";
import { ChevronDown, ChevronRight } from "lucide-react";
import { type ReactElement, useRef, useState } from "react";
import { Button } from "react-aria-components";
import { namesInLog } from "../../../message/message-names.ts";
import { presetCallNames } from "../../../document/preset-names.ts";
import { composeText } from "../../../i18n/compose.ts";
import { useFormats, useLanguage, useText } from "../../../i18n/use-text.ts";
import { scrolls } from "../../../kit/classes.ts";
import { recipeName, useDocument, usePreview } from "../state/editor-state.ts";
import { VirtualList } from "../../../message/virtual-list.tsx";

const none: readonly LedgerRow[] = [];
/** More of them are one line until somebody opens it. */
const maxIdle = 5;

/** There was nothing to send. */
function isIdle({ fate, rule }: LedgerRow): boolean {
  return fate === "disabled" || rule === "empty";
}

/** Nothing disappears silently: every input that is not sent, why, and what keeps it. */
export function NotSent(): ReactElement {
  const text = useText(composeText);
  const [isOpen, setIsOpen] = useState(true);
  return (
    <section aria-label={text.notSent} className="flex max-h-[38%] shrink-0 flex-col border-t border-line">
      <h3 className="shrink-0">
        <Button
          aria-expanded={isOpen}
          onPress={() => setIsOpen(!isOpen)}
          className="flex w-full items-center gap-1.5 px-3 py-2 text-left font-semibold data-[focus-visible]:-outline-offset-2"
        >
          {isOpen ? <ChevronDown aria-hidden size={14} /> : <ChevronRight aria-hidden size={14} />}
          <NotSentCount />
        </Button>
      </h3>
      {isOpen && <NotSentRows />}
    </section>
  );
}

function useNotSent(): readonly LedgerRow[] {
  return usePreview((state) => state.preview?.notSent) ?? none;
}

function NotSentCount(): ReactElement {
  const text = useText(composeText);
  const formats = useFormats();
  const rows = useNotSent();
  const isBuilt = usePreview((state) => state.preview !== undefined);
  const count = rows.reduce((sum, row) => sum + (row.count ?? 1), 0);
  return (
    <>
      {text.notSent} ({formats.number(count)})
      {count === 0 && isBuilt && <span className="font-normal text-muted">{text.nothingLeftOut}</span>}
    </>
  );
}

function NotSentRows(): ReactElement {
  const text = useText(composeText);
  const { number } = useFormats();
  const all = useNotSent();
  const pane = useRef<HTMLDivElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  // An imported preset brings dozens that are switched off or empty: they would hide what a budget left out.
  const off = all.filter(isIdle);
  const isFolded = off.length > maxIdle;
  const rows = isFolded ? all.filter((row) => !isIdle(row)) : all;
  return (
    <div
      ref={pane}
      role="group"
      {...(all.length > 0 ? scrolls : { tabIndex: -1 })}
      aria-label={text.notSent}
      className="min-h-0 flex-1 overflow-y-auto"
    >
      <VirtualList label={text.notSent} items={rows} scroll={pane} estimate={44}>
        {(row) => <NotSentRow row={row} />}
      </VirtualList>
      {isFolded && (
        <>
          <Button
            aria-expanded={isOpen}
            onPress={() => setIsOpen(!isOpen)}
            className="flex w-full items-center gap-1.5 border-t border-line px-3 py-1.5 text-left text-xs font-medium data-[focus-visible]:-outline-offset-2"
          >
            {isOpen ? <ChevronDown aria-hidden size={12} /> : <ChevronRight aria-hidden size={12} />}
            {text.idle(number(off.length))}
          </Button>
          {isOpen && (
            <VirtualList label={text.notSent} items={off} scroll={pane} estimate={44}>
              {(row) => <NotSentRow row={row} />}
            </VirtualList>
          )}
        </>
      )}
    </div>
  );
}

function NotSentRow({ row }: { readonly row: LedgerRow }): ReactElement {
  const text = useText(composeText);
  const language = useLanguage();
  const recipe = usePreview((state) => recipeName(state.preview?.build.recipe?.recipe));
  const ofPreset = useDocument((state) => presetCallNames(state.preset, text.kinds));
  const entries = usePreview((state) => state.entries);
  const names = row.kind === "message" ? namesInLog(entries, new Set([row.id])) : ofPreset;
  const { who, because, toKeep } = describeRow(row, language, { recipe, names });
  return (
    <div data-not-sent={row.id} className="border-t border-line px-3 py-1.5 text-xs">
      <p>
        <span className="font-medium" title={row.id}>
          {who}
        </span>
        {because && <span className="text-muted">: {because}</span>}
      </p>
      {toKeep && (
        <p>
          <span className="text-muted">{text.toKeep}</span> {toKeep}
        </p>
      )}
    </div>
  );
}
