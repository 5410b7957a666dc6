import { GalleyError, type LedgerRow } from "@galley/engine";
import { describeRow } from "@galley/engine/proof";
import { ChevronDown, ChevronRight } from "lucide-react";
import { type ReactElement, memo, useDeferredValue, useMemo, useRef, useState } from "react";
import { firstWords } from "../../../api/words.ts";
import { scanLorebooks } from "../../../document/compute-preview.ts";
import { entryName } from "../../../document/lore-entries.ts";
import { lorebookText } from "../../../i18n/lorebook.ts";
import { useFormats, useLanguage, useText } from "../../../i18n/use-text.ts";
import { scrolls } from "../../../kit/classes.ts";
import { Checkbox, TextField } from "../../../kit/fields.tsx";
import { ErrorNotice } from "../../../kit/notices.tsx";
import { messageText } from "../../../message/message-blocks.ts";
import { VirtualList } from "../../../message/virtual-list.tsx";
import { useBuiltMarks, useDocument, useEditor, usePreview } from "../state/editor-state.ts";
import { useEntries } from "./use-entries.ts";

/** Type a sentence, and see which entries come: by which key, in which order, at which cost; and why the others do not. */
export const TriggerTest = memo(function TriggerTest(): ReactElement {
  const text = useText(lorebookText);
  const [sentence, setSentence] = useState("");
  const [isWhole, setIsWhole] = useState(false);
  const scan = useScan(useDeferredValue(sentence), isWhole);
  const marks = useBuiltMarks();
  return (
    <section aria-label={text.test} {...marks} className="flex min-h-0 min-w-0 flex-1 flex-col gap-3 p-3">
      <h2 className="sr-only">{text.test}</h2>
      <TextField
        label={text.sentence}
        description={text.sentenceHint}
        rows={3}
        value={sentence}
        onChange={setSentence}
      />
      <Checkbox isSelected={isWhole} onChange={setIsWhole}>
        {text.withConversation}
      </Checkbox>
      {scan.error ? <ErrorNotice error={scan.error} /> : <Result rows={scan.rows} names={scan.names} />}
    </section>
  );
});

interface Scan {
  readonly rows: readonly LedgerRow[];
  /** What people call entries and messages, by id. */
  readonly names: ReadonlyMap<string, string>;
  readonly error?: GalleyError;
}

function useScan(sentence: string, isWhole: boolean): Scan {
  const text = useText(lorebookText);
  const { preview } = useEditor();
  const entries = useEntries();
  const preset = useDocument((state) => state.preset);
  const history = usePreview((state) => state.entries);
  const tokenizer = usePreview((state) => state.tokenizer);
  const model = usePreview((state) => state.model);
  const budget = usePreview((state) => state.budget);
  return useMemo(() => {
    const names = new Map(entries.map((entry) => [entry.key, entryName(entry)]));
    const own = new Set(entries.map(({ key }) => key));
    try {
      const read = isWhole ? history : [];
      const request = { ...preview.request(), entries: read, say: sentence };
      const rows = scanLorebooks(request).filter(({ id }) => own.has(id));
      for (const entry of read)
        if (entry.type === "message") names.set(entry.id, `“${firstWords(messageText(entry.message.content), 40)}”`);
      for (const { why } of rows)
        if (why?.found?.in === "message" && !names.has(why.found.id)) names.set(why.found.id, text.inSentence);
      return { rows, names };
    } catch (error) {
      if (error instanceof GalleyError) return { rows: [], names, error };
      throw error;
    }
    // What the request is made of, as far as it decides.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [preview, entries, preset, history, tokenizer, model, budget, sentence, isWhole, text]);
}

type ResultProps = Pick<Scan, "rows" | "names">;

function Result({ rows, names }: ResultProps): ReactElement {
  const text = useText(lorebookText);
  const formats = useFormats();
  const language = useLanguage();
  const pane = useRef<HTMLDivElement>(null);
  const there = rows.filter((row) => row.why !== undefined);
  const tokens = there.reduce((sum, row) => sum + (row.tokens ?? 0), 0);
  const others = Map.groupBy(
    rows.filter((row) => row.why === undefined),
    (row) => describeRow(row, language).because ?? "",
  );
  if (rows.length === 0) return <p className="text-muted">{text.noEntries}</p>;
  return (
    <>
      <p role="status" data-testid="fires" className="font-medium tabular-nums">
        {text.fires(formats.number(there.length), formats.number(rows.length), formats.number(tokens))}
      </p>
      <div ref={pane} role="group" aria-label={text.firing} {...scrolls} className="min-h-0 flex-1 overflow-y-auto">
        <VirtualList label={text.firing} items={there} scroll={pane} estimate={52} itemKey={({ id }) => id}>
          {(row, index) => <Firing row={row} number={index + 1} names={names} />}
        </VirtualList>
        {others.size > 0 && <h3 className="mt-3 mb-1 font-semibold">{text.quiet}</h3>}
        {[...others].map(([because, list]) => (
          <Quiet key={because} because={because} rows={list} names={names} />
        ))}
      </div>
    </>
  );
}

interface FiringProps {
  readonly row: LedgerRow;
  readonly number: number;
  readonly names: ReadonlyMap<string, string>;
}

function Firing({ row, number, names }: FiringProps): ReactElement {
  const text = useText(lorebookText);
  const formats = useFormats();
  const { came, because } = describeRow(row, useLanguage(), { names });
  return (
    <div data-fires={row.id} className="flex gap-2 border-b border-line py-1.5">
      <span className="w-6 shrink-0 text-right text-muted tabular-nums">{number}.</span>
      <div className="min-w-0 flex-1">
        <EntryLink id={row.id} names={names} />
        <p className="text-xs text-muted">{[came, because].filter(Boolean).join("; ")}</p>
      </div>
      {row.tokens !== undefined && (
        <span className="shrink-0 text-xs text-muted tabular-nums">{text.tokens(formats.number(row.tokens))}</span>
      )}
    </div>
  );
}

/** Opens the entry in the table. */
function EntryLink({ id, names }: { readonly id: string; readonly names: FiringProps["names"] }): ReactElement {
  const { view } = useEditor();
  return (
    <button
      type="button"
      title={id}
      onClick={() => view.setState({ openStep: id })}
      className="block max-w-full truncate rounded text-left font-medium text-accent hover:underline"
    >
      {names.get(id) ?? id}
    </button>
  );
}

interface QuietProps {
  readonly because: string;
  readonly rows: readonly LedgerRow[];
  readonly names: ReadonlyMap<string, string>;
}

/** All that stay away for one reason: a line, which opens into their names. */
function Quiet({ because, rows, names }: QuietProps): ReactElement {
  const text = useText(lorebookText);
  const formats = useFormats();
  const [isOpen, setIsOpen] = useState(false);
  const pane = useRef<HTMLDivElement>(null);
  const Chevron = isOpen ? ChevronDown : ChevronRight;
  return (
    <div data-quiet={rows.length}>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
        className="flex w-full items-center gap-1 rounded py-1 text-left"
      >
        <Chevron aria-hidden size={14} className="shrink-0" />
        <span className="font-medium tabular-nums">{text.quietCount(formats.number(rows.length))}</span>
        <span className="min-w-0 flex-1 text-muted">{because}</span>
      </button>
      {isOpen && (
        <div ref={pane} role="group" aria-label={because} {...scrolls} className="max-h-64 overflow-y-auto pl-5">
          <VirtualList label={because} items={rows} scroll={pane} estimate={24} itemKey={({ id }) => id}>
            {({ id }) => <EntryLink id={id} names={names} />}
          </VirtualList>
        </div>
      )}
    </div>
  );
}
