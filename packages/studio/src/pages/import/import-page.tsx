import { type ReactElement, useMemo, useState } from "react";
import { ApiError } from "galley/api/client";
import type { Language } from "../../browser/preferences.ts";
import { type LedgerRow, composePreset, provenance, view } from "@galley/engine";
import { describeRow } from "@galley/engine/proof";
import { Page } from "../../frame/page.tsx";
import { Link, useQueryState } from "../../frame/location.tsx";
import { pathTo } from "../../frame/routes.ts";
import { importText } from "../../i18n/import.ts";
import { logsText } from "../../i18n/logs.ts";
import { messageTexts } from "../../i18n/message.ts";
import { useLanguage, useText } from "../../i18n/use-text.ts";
import { Tabs } from "../../kit/tabs.tsx";
import { ExportPanel } from "./export-panel.tsx";
import { FileDrop, FileList } from "./import-files.tsx";
import { type GivenFile, type ImportChoices, type ReadImport, readImport } from "./read-import.ts";
import { type DroppedLog, importDropped } from "./import-logs.ts";
import { LogImports } from "./log-imports.tsx";
import { ReportTable } from "./report-table.tsx";
import { SaveImport } from "./save-import.tsx";
import { ErrorNotice } from "../../kit/notices.tsx";
import { Checkbox, Select, TextField } from "../../kit/fields.tsx";
import { presetNames } from "../../document/preset-names.ts";
import { nameOf } from "../../message/row-look.ts";
import { messageText } from "../../message/message-blocks.ts";
import { Section } from "../../kit/section.tsx";

/** Files in, with a report and a preview before anything is saved; presets out. */
export function ImportPage(): ReactElement {
  const text = useText(importText);
  const { query, setQuery } = useQueryState();
  const tab = query["tab"] === "export" ? "export" : "import";
  return (
    <Page title={text.title} layout="fill">
      <Tabs
        label={text.title}
        className="flex-1"
        value={tab}
        onChange={(id) => setQuery({ tab: id === "import" ? undefined : id })}
        tabs={[
          { id: "import", label: text.importTab, content: <ImportPanel /> },
          { id: "export", label: text.exportTab, content: <ExportPanel /> },
        ]}
      />
    </Page>
  );
}

const plainChoices: ImportChoices = { user: "", greeting: 1, useEmbeddedBook: true };

function ImportPanel(): ReactElement {
  const [given, setGiven] = useState<readonly GivenFile[]>([]);
  const [choices, setChoices] = useState(plainChoices);
  const files = given.map(({ name }) => name).join("/");
  const [saved, setSaved] = useState<string>();
  const made = useMemo(() => readImport(given, choices), [given, choices]);
  const [logs, setLogs] = useState<readonly DroppedLog[]>([]);
  const keepLog = (log: DroppedLog): void => {
    setLogs((before) => [...before.filter(({ name }) => name !== log.name), log]);
  };
  const add = (files: readonly GivenFile[]): void => {
    const names = new Set(files.map(({ name }) => name));
    setGiven((before) => [...before.filter(({ name }) => !names.has(name)), ...files]);
  };
  const startAgain = (): void => {
    setGiven([]);
    setSaved(undefined);
    setChoices(plainChoices);
  };
  return (
    <div className="mx-auto flex w-full max-w-5xl flex-col gap-6 px-4 py-5">
      <FileDrop
        isSmall={given.length > 0 || logs.length > 0}
        onFiles={add}
        onLog={(file, format) => void importDropped(file, format, keepLog)}
      />
      {given.length === 0 && logs.length === 0 && <Sources />}
      {given.length > 0 && (
        <FileList
          files={made.files}
          onRemove={(name) => setGiven(given.filter((file) => file.name !== name))}
          onKind={(name, as) => setGiven(given.map((file) => (file.name === name ? { ...file, as } : file)))}
        />
      )}
      {logs.length > 0 && <LogImports logs={logs} />}
      {given.length > 0 && (
        <>
          {made.error && <ErrorNotice error={new ApiError(made.error, 0)} />}
          {made.files.some(({ kind }) => kind && !kind.startsWith("galley")) && (
            <ImportOptions choices={choices} made={made} onChange={setChoices} />
          )}
          {made.notes.length > 0 && <ReportTable notes={made.notes} />}
          {(made.preset || made.entries.length > 0) && (
            <>
              <ImportPreview made={made} isSaved={saved === files} />
              <SaveImport key={files} made={made} onSaved={() => setSaved(files)} onDone={startAgain} />
            </>
          )}
        </>
      )}
    </div>
  );
}

/** What can be brought, and what becomes of it. */
function Sources(): ReactElement {
  const text = useText(importText);
  const logs = useText(logsText).title;
  return (
    <ul className="grid gap-4 md:grid-cols-3">
      {text.sources.map(({ title, files, becomes }, index) => (
        <li key={title} className="flex flex-col gap-1 rounded-lg border border-line bg-raised p-4">
          <h2 className="font-semibold">{title}</h2>
          <p>{files}</p>
          <p className="text-muted">
            {becomes}{" "}
            {index === 1 && (
              <Link className="text-accent underline" href={pathTo("logs", {})}>
                {logs}
              </Link>
            )}
          </p>
        </li>
      ))}
    </ul>
  );
}

interface ImportOptionsProps {
  readonly choices: ImportChoices;
  readonly made: ReadImport;
  readonly onChange: (choices: ImportChoices) => void;
}

/** What SillyTavern's files leave open. */
function ImportOptions({ choices, made, onChange }: ImportOptionsProps): ReactElement {
  const { greetings = [], personas = [] } = made;
  const text = useText(importText);
  return (
    <section aria-label={text.options} className="flex flex-wrap items-start gap-x-8 gap-y-3">
      <TextField
        label={text.user}
        placeholder={text.userHint}
        className="w-56"
        value={choices.user}
        onChange={(user) => onChange({ ...choices, user })}
      />
      {personas.length > 1 && (
        <Select
          label={text.persona}
          className="w-56"
          options={personas.map((id) => ({ id, label: id }))}
          value={personas.find((name) => name === choices.persona) ?? personas[0]}
          onChange={(persona) => onChange({ ...choices, persona })}
        />
      )}
      {greetings.length > 0 && (
        <Select
          label={text.greeting}
          className="w-72"
          options={greetings.map((greeting, index) => ({
            id: String(index + 1),
            label: `${index + 1}. ${greeting.trim().slice(0, 40)}`,
          }))}
          value={String(choices.greeting)}
          onChange={(number) => onChange({ ...choices, greeting: Number(number) })}
        />
      )}
      <div className="self-end pb-1.5">
        <Checkbox
          isSelected={choices.useEmbeddedBook}
          onChange={(useEmbeddedBook) => onChange({ ...choices, useEmbeddedBook })}
        >
          {text.embeddedBook}
        </Checkbox>
      </div>
    </section>
  );
}

/** How many messages are shown from each end. */
const shown = 20;

/** The names that its parts were given; where none has one, where it stands. */
function originOf(rows: readonly LedgerRow[], names: ReadonlyMap<string, string>, language: Language): string {
  const given = rows.flatMap((row) => nameOf(row, names) ?? []);
  const [first] = rows;
  return given.length > 0 || !first ? given.join(" + ") : describeRow(first, language).label;
}

/** What a model would read of an import. Everything is plain text. */
function ImportPreview({ made, isSaved }: { readonly made: ReadImport; readonly isSaved: boolean }): ReactElement {
  const text = useText(importText);
  const language = useLanguage();
  const { roles } = useText(messageTexts);
  const { messages, sources, names } = useMemo(() => {
    const history = view(made.entries).messages;
    const preset = made.preset ?? { presetMessages: [{ id: "history", role: "user", type: "chat_history" } as const] };
    const composed = composePreset({ preset, history });
    return { messages: composed.messages, sources: provenance(composed.ledger), names: presetNames(preset) };
  }, [made]);
  const rows = messages.map((message, index) => ({ message, index }));
  const hidden = Math.max(0, rows.length - 2 * shown);
  const visible = hidden === 0 ? rows : [...rows.slice(0, shown), ...rows.slice(-shown)];
  return (
    <Section title={text.preview}>
      {!isSaved && <p className="mb-2 text-muted">{text.previewLead}</p>}
      <ol className="flex flex-col divide-y divide-line rounded-md border border-line">
        {visible.map(({ message, index }) => (
          <li key={index} className="px-3 py-2">
            {hidden > 0 && index === rows.length - shown && <p className="mb-2 text-muted">{text.more(hidden)}</p>}
            <p className="text-xs text-muted">
              <span className="font-mono font-semibold text-ink">{roles[message.role]}</span>{" "}
              <span title={sources[index]?.map(({ id }) => id).join(" + ")}>
                {originOf(sources[index] ?? [], names, language)}
              </span>
            </p>
            <p className="line-clamp-4 font-mono text-xs leading-5 break-words whitespace-pre-wrap">
              {messageText(message.content)}
            </p>
          </li>
        ))}
      </ol>
    </Section>
  );
}
