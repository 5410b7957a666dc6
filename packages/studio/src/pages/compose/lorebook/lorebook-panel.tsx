import { BookOpen, Plus } from "lucide-react";
import { type ReactElement, memo, useMemo, useState } from "react";
import { type EntryQuery, type EntryState, booksOf, entryStates } from "../../../document/lore-entries.ts";
import { lorebookText } from "../../../i18n/lorebook.ts";
import { useFormats, useText } from "../../../i18n/use-text.ts";
import { Button } from "../../../kit/button.tsx";
import { SearchField, Select } from "../../../kit/fields.tsx";
import { EmptyState } from "../../../kit/notices.tsx";
import { useEditor } from "../state/editor-state.ts";
import { BulkBar } from "./bulk-bar.tsx";
import { EntryGrid } from "./entry-grid.tsx";
import { useEntries, useEntryActions, useFound, useTokensOf } from "./use-entries.ts";

const everything: EntryQuery = { search: "", book: undefined, state: "all", sort: "list", isFalling: false };

/** The entries of the lorebooks as a table: search, switches, bulk edits, and each entry's rules where it is opened. */
export const LorebookPanel = memo(function LorebookPanel(): ReactElement {
  const text = useText(lorebookText);
  const { view } = useEditor();
  const [query, setQuery] = useState(everything);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const entries = useEntries();
  const tokensOf = useTokensOf();
  const found = useFound(query, tokensOf);
  const actions = useEntryActions();
  const chosen = useMemo(() => entries.filter(({ key }) => selected.has(key)), [entries, selected]);
  const add = (): void => {
    const [first] = booksOf(entries);
    const key = actions.add(query.book ?? first);
    setQuery({ ...everything, book: query.book });
    view.setState({ openStep: key });
  };
  return (
    <section aria-label={text.title} className="flex min-h-0 min-w-0 flex-1 flex-col lg:border-r lg:border-line">
      <div className="flex shrink-0 flex-col gap-2 border-b border-line p-3">
        <Heading shown={found.length} all={entries.length} onAdd={add} />
        {entries.length > 0 && <Filters query={query} onChange={setQuery} />}
      </div>
      {chosen.length > 0 && <BulkBar entries={chosen} actions={actions} onClear={() => setSelected(new Set())} />}
      {entries.length === 0 && (
        <EmptyState
          icon={BookOpen}
          title={text.emptyTitle}
          actions={
            <Button look="primary" icon={Plus} onPress={add}>
              {text.addEntry}
            </Button>
          }
        >
          {text.emptyBody}
        </EmptyState>
      )}
      {found.length > 0 && (
        <EntryGrid
          entries={found}
          query={query}
          onQuery={setQuery}
          selected={selected}
          onSelect={setSelected}
          tokensOf={tokensOf}
          actions={actions}
        />
      )}
      {entries.length > 0 && found.length === 0 && <p className="p-4 text-muted">{text.noMatches}</p>}
    </section>
  );
});

interface HeadingProps {
  readonly shown: number;
  readonly all: number;
  readonly onAdd: () => void;
}

function Heading({ shown, all, onAdd }: HeadingProps): ReactElement {
  const text = useText(lorebookText);
  const formats = useFormats();
  return (
    <div className="flex items-center gap-2">
      <h2 className="font-semibold">{text.title}</h2>
      {all > 0 && (
        <span data-testid="entry-count" className="text-muted tabular-nums">
          {text.shown(formats.number(shown), formats.number(all))}
        </span>
      )}
      <span className="flex-1" />
      {all > 0 && (
        <Button icon={Plus} onPress={onAdd}>
          {text.addEntry}
        </Button>
      )}
    </div>
  );
}

interface FiltersProps {
  readonly query: EntryQuery;
  readonly onChange: (query: EntryQuery) => void;
}

function Filters({ query, onChange }: FiltersProps): ReactElement {
  const text = useText(lorebookText);
  const books = booksOf(useEntries());
  return (
    <div className="flex flex-wrap items-center gap-2">
      <SearchField
        label={text.search}
        value={query.search}
        onChange={(search) => onChange({ ...query, search })}
        isPageSearch
        className="min-w-48 flex-1"
      />
      {books.length > 1 && (
        <Select
          aria-label={text.book}
          options={[{ id: "", label: text.allBooks }, ...books.map((book) => ({ id: book, label: book }))]}
          value={query.book ?? ""}
          onChange={(book) => onChange({ ...query, book: book === "" ? undefined : book })}
          className="max-w-48"
        />
      )}
      <Select<EntryState>
        aria-label={text.state}
        options={entryStates.map((state) => ({ id: state, label: text.states[state] }))}
        value={query.state}
        onChange={(state) => onChange({ ...query, state })}
      />
    </div>
  );
}
