import { Layers, Plus } from "lucide-react";
import { type ReactElement, useState } from "react";
import { call } from "../../../api/call.ts";
import { useAction } from "../../../api/use-api.ts";
import { freeName } from "../../../document/document-draft.ts";
import { forgetKept } from "../../../document/document-storage.ts";
import { exampleStarter, simpleStarter } from "../../../document/starter-presets.ts";
import { Link, navigate, useQueryState } from "../../../frame/location.tsx";
import { Page } from "../../../frame/page.tsx";
import { pathTo } from "../../../frame/routes.ts";
import { messageTexts } from "../../../i18n/message.ts";
import { composeText } from "../../../i18n/compose.ts";
import { useFormats, useText } from "../../../i18n/use-text.ts";
import { Button } from "../../../kit/button.tsx";
import { RadioGroup, SearchField, TextField } from "../../../kit/fields.tsx";
import { Menu } from "../../../kit/menu.tsx";
import { EmptyState, showProblem, showToast, useLoaded } from "../../../kit/notices.tsx";
import { Tag } from "../../../kit/tag.tsx";
import { Ask, AskDialog } from "../../../kit/dialog.tsx";
import type { RouteReply } from "galley/api";

export function PresetList(): ReactElement {
  const text = useText(composeText);
  const { data, pending } = useLoaded("presets.list", {});
  // In the URL, so that the palette can ask for it from anywhere.
  const { query, setQuery } = useQueryState();
  const wanted = query["new"];
  const start = wanted === "simple" || wanted === "example" ? wanted : undefined;
  const setStart = (next: Start | undefined): void => setQuery({ new: next });
  const [search, setSearch] = useState("");
  const presets = data?.presets ?? [];
  // What was worked on last comes first.
  const found = presets
    .filter(({ id, name }) => `${id} ${name ?? ""}`.toLowerCase().includes(search.trim().toLowerCase()))
    .toSorted((a, b) => b.updatedAt - a.updatedAt);
  return (
    <Page
      title={text.title}
      actions={
        <>
          <Button onPress={() => navigate(pathTo("import", {}))}>{text.importPreset}</Button>
          <Button look="primary" onPress={() => setStart("simple")} icon={Plus}>
            {text.newPreset}
          </Button>
        </>
      }
    >
      {pending}
      {data && presets.length === 0 && <NoPresets onStart={setStart} />}
      {presets.length > 0 && (
        <div className="flex flex-col gap-3">
          <SearchField
            label={text.searchPresets}
            value={search}
            onChange={setSearch}
            isPageSearch
            className="max-w-sm"
          />
          <ul aria-label={text.presets} className="flex flex-col gap-2">
            {found.map((item) => (
              <PresetItem key={item.id} item={item} taken={presets.map(({ id }) => id)} />
            ))}
          </ul>
          {found.length === 0 && <p className="text-muted">{text.noMatches}</p>}
        </div>
      )}
      {start && (
        <NewPresetDialog start={start} taken={presets.map(({ id }) => id)} onClose={() => setStart(undefined)} />
      )}
    </Page>
  );
}

function NoPresets({ onStart }: { readonly onStart: (start: "simple" | "example") => void }): ReactElement {
  const text = useText(composeText);
  return (
    <EmptyState
      icon={Layers}
      title={text.noPresetsTitle}
      actions={
        <>
          <Button look="primary" onPress={() => onStart("example")}>
            {text.startExample}
          </Button>
          <Button onPress={() => onStart("simple")}>{text.startSimple}</Button>
        </>
      }
    >
      {text.noPresetsBody}
    </EmptyState>
  );
}

interface PresetItemProps {
  readonly item: RouteReply<"presets.list">["presets"][number];
  readonly taken: readonly string[];
}

function PresetItem({ item, taken }: PresetItemProps): ReactElement {
  const text = useText(composeText);
  const formats = useFormats();
  return (
    <li className="flex items-center gap-3 rounded-md border border-line bg-raised px-4 py-2.5">
      <div className="flex min-w-0 flex-1 flex-col gap-0.5">
        <span className="flex flex-wrap items-center gap-2">
          <Link
            href={pathTo("compose", { preset: item.id })}
            title={item.id}
            className="font-semibold wrap-anywhere text-accent hover:underline"
          >
            {item.name || item.id}
          </Link>
          <Tag>{item.mode === "simple" ? text.simpleMode : text.advancedMode}</Tag>
        </span>
        <span className="text-xs text-muted">
          {(item.mode === "simple" ? text.messagesCount : text.templatesCount)(formats.number(item.templates))} ·{" "}
          {item.recipes > 0 && `${text.recipesCount(item.recipes)} · `}
          {item.version === 0 ? text.builtIn : `${text.version(item.version)} · ${formats.dateTime(item.updatedAt)}`}
        </span>
      </div>
      <PresetMenu id={item.id} name={item.name || item.id} taken={taken} />
    </li>
  );
}

interface PresetMenuProps {
  readonly id: string;
  readonly name: string;
  readonly taken: readonly string[];
}

function PresetMenu({ id, name, taken }: PresetMenuProps): ReactElement {
  const text = useText(composeText);
  const words = useText(messageTexts);
  const save = useAction("presets.save");
  const remove = useAction("presets.delete");
  const duplicate = async (): Promise<void> => {
    const { preset } = await call("presets.get", { params: { id } });
    const copy = freePresetName(`${id} copy`, taken);
    await save.mutateAsync({ params: { id: copy }, body: { preset, expectedVersion: 0, label: `copy of ${id}` } });
  };
  const confirm = async (): Promise<void> => {
    await remove.mutateAsync({ params: { id } });
    // Another preset may get this name; what the browser kept of this one is not meant for it.
    forgetKept(localStorage, id);
    showToast({ text: text.presetDeleted(name) });
  };
  return (
    <Ask
      by={(ask) => (
        <Menu
          label={text.presetActions(name)}
          groups={[
            [
              { label: text.duplicate, onAction: () => void duplicate().catch(showProblem) },
              { label: words.copyId(id), onAction: () => void navigator.clipboard.writeText(id) },
            ],
            [{ label: text.delete, isDangerous: true, onAction: ask }],
          ]}
        />
      )}
      title={text.deletePresetTitle(name)}
      confirm={text.delete}
      isDangerous
      onConfirm={confirm}
    >
      {text.deletePresetBody}
    </Ask>
  );
}

type Start = "simple" | "example";

interface NewPresetDialogProps {
  readonly start: Start;
  readonly taken: readonly string[];
  readonly onClose: () => void;
}

const goodName = /^[\p{L}\p{N}][\p{L}\p{N}._ -]{0,99}$/u;

/** Names differ in more than letter case, because they become files. */
function freePresetName(wanted: string, taken: readonly string[]): string {
  const lower = new Set(taken.map((name) => name.toLowerCase()));
  return freeName(wanted, { has: (name) => lower.has(name.toLowerCase()) });
}

function NewPresetDialog({ start, taken, onClose }: NewPresetDialogProps): ReactElement {
  const text = useText(composeText);
  const save = useAction("presets.save");
  const [from, setFrom] = useState<Start>(start);
  const [name, setName] = useState(() => freePresetName(start === "example" ? "travel-desk" : "my-preset", taken));
  const id = name.trim();
  const isTaken = taken.some((other) => other.toLowerCase() === id.toLowerCase());
  const problem = !goodName.test(id) ? text.presetNameBad : isTaken ? text.presetNameTaken : undefined;
  const create = async (): Promise<void> => {
    const preset = from === "example" ? exampleStarter : simpleStarter;
    await save.mutateAsync({ params: { id }, body: { preset, expectedVersion: 0, label: "new" } });
    navigate(pathTo("compose", { preset: id }));
  };
  return (
    <AskDialog
      title={text.newPreset}
      confirm={text.create}
      isDisabled={problem !== undefined}
      onClose={onClose}
      onConfirm={create}
    >
      <TextField
        label={text.presetName}
        description={text.presetNameHint}
        value={name}
        onChange={setName}
        isInvalid={problem !== undefined}
        errorMessage={problem}
        autoFocus
        onFocus={(event) => event.target instanceof HTMLInputElement && event.target.select()}
      />
      <RadioGroup<Start>
        label={text.from}
        value={from}
        onChange={setFrom}
        options={{ simple: text.fromSimple, example: text.fromExample }}
      />
    </AskDialog>
  );
}
