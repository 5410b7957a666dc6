import type { Preset } from "@galley/engine";
import { diffLines } from "diff";
import { type ReactElement, useMemo, useState } from "react";
import { call } from "../../../api/call.ts";
import { composeText } from "../../../i18n/compose.ts";
import { useFormats, useText } from "../../../i18n/use-text.ts";
import { Button } from "../../../kit/button.tsx";
import { classes, scrolls } from "../../../kit/classes.ts";
import { Dialog } from "../../../kit/dialog.tsx";
import { replaceWith } from "../../../document/document-draft.ts";
import { showProblem, showToast, useLoaded } from "../../../kit/notices.tsx";
import { useDocument, useEditor } from "../state/editor-state.ts";

/** Every save is a version. Restoring one is an edit like any other, and can be undone. */
export function VersionsDialog({ id, onClose }: { readonly id: string; readonly onClose: () => void }): ReactElement {
  const text = useText(composeText);
  const formats = useFormats();
  const { document } = useEditor();
  const current = useDocument((state) => state.version);
  const preset = useDocument((state) => state.preset);
  const { data, pending } = useLoaded("presets.versions", { params: { id } });
  const [opened, setOpened] = useState<{ readonly version: number; readonly preset: Preset }>();
  const open = async (version: number): Promise<void> => {
    const saved = await call("presets.version", { params: { id, version } });
    setOpened({ version, preset: saved.preset });
  };
  const restore = (): void => {
    if (!opened) return;
    document.edit("restore version", (draft) => replaceWith(draft, opened.preset));
    showToast({ text: text.restored(opened.version), undo: () => void document.undo() });
    onClose();
  };
  return (
    <Dialog
      title={text.versions}
      onClose={onClose}
      width="wide"
      actions={
        <Button look="primary" isDisabled={!opened} onPress={restore}>
          {text.restore}
        </Button>
      }
    >
      {pending}
      {data?.versions.length === 0 && <p className="text-muted">{text.versionsEmpty}</p>}
      <ul className="max-h-56 overflow-y-auto">
        {data?.versions.map(({ version, savedAt, label }) => (
          <li key={version} className="flex items-center gap-3 border-b border-line py-1">
            <Button
              size="small"
              look={opened?.version === version ? "primary" : "plain"}
              onPress={() => void open(version).catch(showProblem)}
            >
              {text.version(version)}
            </Button>
            <span className="min-w-0 flex-1">{labelInWords(label ?? "", text)}</span>
            <span className="text-xs text-muted">{version === current ? text.current : formats.dateTime(savedAt)}</span>
          </li>
        ))}
      </ul>
      {opened && (
        <PresetDiff
          before={opened.preset}
          after={preset}
          beforeLabel={text.version(opened.version)}
          afterLabel={text.current}
        />
      )}
    </Dialog>
  );
}

/** A version keeps the names of its edits in English; here they are said in the language of the page. */
function labelInWords(label: string, text: typeof composeText.en): string {
  const edits: Readonly<Record<string, string>> = text.edits;
  return label.replaceAll(/(?:(undo|redo): )?([a-z][a-z -]*)/g, (all, verb: string | undefined, name: string) => {
    const said = edits[name];
    if (said === undefined || said === name) return all;
    return verb === undefined ? said : verb === "undo" ? text.undoEdit(said) : text.redoEdit(said);
  });
}

interface PresetDiffProps {
  readonly before: Preset;
  readonly after: Preset;
  readonly beforeLabel: string;
  readonly afterLabel: string;
}

interface DiffLine {
  readonly key: string;
  readonly mark: "-" | "+" | " ";
  readonly text: string;
}

const around = 2;

/** Lines that differ, with two lines around them. */
function changedLines(before: Preset, after: Preset): readonly DiffLine[] {
  const all: DiffLine[] = [];
  for (const { added, removed, value } of diffLines(JSON.stringify(before, null, 2), JSON.stringify(after, null, 2))) {
    const mark = added ? "+" : removed ? "-" : " ";
    for (const text of value.replace(/\n$/, "").split("\n")) all.push({ key: `${all.length}`, mark, text });
  }
  return all.filter((_, index) =>
    all.slice(Math.max(0, index - around), index + around + 1).some(({ mark }) => mark !== " "),
  );
}

/** What differs between two presets, as lines of their JSON. */
export function PresetDiff({ before, after, beforeLabel, afterLabel }: PresetDiffProps): ReactElement {
  const text = useText(composeText);
  const lines = useMemo(() => changedLines(before, after), [before, after]);
  if (lines.length === 0) return <p className="mt-3 text-muted">{text.noDifference}</p>;
  return (
    <div className="mt-3 flex flex-col gap-1">
      <p className="flex gap-4 font-mono text-xs">
        <span className="bg-removed px-1">− {beforeLabel}</span>
        <span className="bg-added px-1">+ {afterLabel}</span>
      </p>
      <pre {...scrolls} className="max-h-80 overflow-auto rounded-md border border-line font-mono text-xs">
        {lines.map(({ key, mark, text: line }) => (
          <div key={key} className={classes("px-2", mark === "+" && "bg-added", mark === "-" && "bg-removed")}>
            {mark} {line}
          </div>
        ))}
      </pre>
    </div>
  );
}
