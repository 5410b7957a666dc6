import { type ReactElement, useMemo, useState } from "react";
import { Page } from "../../frame/page.tsx";
import { useQueryState } from "../../frame/navigation-state.ts";
import { importText } from "../../i18n/import.ts";
import { useText } from "../../i18n/use-text.ts";
import { Tabs } from "../../kit/tabs.tsx";
import { ExportPanel } from "./export-panel.tsx";
import { FileDrop } from "./file-drop.tsx";
import { FileList } from "./file-list.tsx";
import { ImportOptions } from "./import-options.tsx";
import { ImportPreview } from "./import-preview.tsx";
import { type GivenFile, type ImportChoices, readImport } from "./read-import.ts";
import { ReportTable } from "./report-table.tsx";
import { SaveImport } from "./save-import.tsx";
import { ErrorNotice } from "../../kit/error-notice.tsx";
import { ApiError } from "galley/api/client";

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

const plainChoices: ImportChoices = { user: "", entries: "constant", useEmbeddedBook: false };

function ImportPanel(): ReactElement {
  const [given, setGiven] = useState<readonly GivenFile[]>([]);
  const [choices, setChoices] = useState(plainChoices);
  const files = given.map(({ name }) => name).join("/");
  const [saved, setSaved] = useState<string>();
  const made = useMemo(() => readImport(given, choices), [given, choices]);
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
      <FileDrop isSmall={given.length > 0} onFiles={add} />
      {given.length > 0 && (
        <>
          <FileList
            files={made.files}
            onRemove={(name) => setGiven(given.filter((file) => file.name !== name))}
            onKind={(name, as) => setGiven(given.map((file) => (file.name === name ? { ...file, as } : file)))}
          />
          {made.error && <ErrorNotice error={new ApiError(made.error, 0)} />}
          {made.files.some(({ kind }) => kind && !kind.startsWith("galley")) && (
            <ImportOptions choices={choices} onChange={setChoices} />
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
