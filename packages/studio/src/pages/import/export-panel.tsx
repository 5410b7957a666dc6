import { type TavernExport, cardPicture, exportTavern } from "@galley/engine/sillytavern";
import { type ReactElement, useMemo, useState } from "react";
import { useQueryState } from "../../frame/location.tsx";
import { importText } from "../../i18n/import.ts";
import { useText } from "../../i18n/use-text.ts";
import { Button } from "../../kit/button.tsx";
import { EmptyState, ErrorNotice, Spinner, useLoaded } from "../../kit/notices.tsx";
import { Select, TextField } from "../../kit/fields.tsx";
import { downloadBytes, downloadJson } from "../../browser/download.ts";
import { ReportTable } from "./report-table.tsx";

/** A preset of the library as files: Galley's own, or SillyTavern's with a report of what they cannot say. */
export function ExportPanel(): ReactElement {
  const text = useText(importText);
  const { query, setQuery } = useQueryState();
  const { data, pending } = useLoaded("presets.list", {});
  const id = query["preset"];
  if (pending) return pending;
  if (data.presets.length === 0) return <EmptyState title={text.noPresets}>{text.noPresetsBody}</EmptyState>;
  return (
    <div className="mx-auto flex w-full max-w-5xl flex-col gap-5 px-4 py-5">
      <p className="text-muted">{text.exportLead}</p>
      <Select
        label={text.exportPreset}
        className="max-w-sm"
        placeholder={text.choosePreset}
        options={data.presets.map((preset) => ({ id: preset.id, label: preset.name ?? preset.id, note: preset.id }))}
        value={id}
        onChange={(preset) => setQuery({ preset })}
      />
      {id !== undefined && <ExportOne key={id} id={id} />}
    </div>
  );
}

function ExportOne({ id }: { readonly id: string }): ReactElement {
  const text = useText(importText);
  const [model, setModel] = useState("");
  const { data, pending } = useLoaded("presets.get", { params: { id } });
  const made = useMemo((): TavernExport | Error | undefined => {
    if (!data) return undefined;
    try {
      return exportTavern(data.preset, model.trim() === "" ? {} : { model: model.trim() });
    } catch (failure) {
      return failure instanceof Error ? failure : new Error(String(failure));
    }
  }, [data, model]);
  if (pending || !made) return pending ?? <Spinner />;
  return (
    <>
      <div className="flex flex-wrap items-end gap-3">
        <Button onPress={() => downloadJson(`${id}.json`, data.preset)}>{text.asGalley}</Button>
        {!(made instanceof Error) && (
          <Button look="primary" onPress={() => downloadJson(`${id}.sillytavern.json`, made.preset)}>
            {text.asTavern}
          </Button>
        )}
        <TextField
          label={text.recipeOf}
          placeholder={text.anyModel}
          className="w-56"
          value={model}
          onChange={setModel}
        />
      </div>
      {made instanceof Error ? (
        <ErrorNotice error={made} />
      ) : (
        <>
          <Parts id={id} made={made} />
          {made.notes.length > 0 && <ReportTable notes={made.notes} />}
        </>
      )}
    </>
  );
}

/** The books and cards that stand in files of their own; a card holds the book that it came with. */
function Parts({ id, made: { books, cards } }: { readonly id: string; readonly made: TavernExport }): ReactElement {
  const text = useText(importText);
  return (
    <ul className="flex flex-col gap-2">
      {cards.map(({ name, card }) => (
        <li key={`card ${name}`} className="flex flex-wrap items-center gap-3">
          {text.card(name)}
          <Button size="small" onPress={() => downloadJson(`${name}.json`, card)}>
            {text.downloadJson}
          </Button>
          <Button size="small" onPress={() => downloadBytes(`${name}.png`, cardPicture(card), "image/png")}>
            {text.downloadPicture}
          </Button>
        </li>
      ))}
      {books.map(({ name, book }) => (
        <li key={`book ${name}`} className="flex flex-wrap items-center gap-3">
          {text.book(name)}
          <Button size="small" onPress={() => downloadJson(`${id}.${name}.json`, book)}>
            {text.download}
          </Button>
        </li>
      ))}
    </ul>
  );
}
