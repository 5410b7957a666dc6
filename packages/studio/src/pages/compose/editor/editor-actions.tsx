import { Redo2, TriangleAlert, Undo2 } from "lucide-react";
import { type ReactElement, memo, useDeferredValue, useState } from "react";
import { Dialog, DialogTrigger, Popover } from "react-aria-components";
import { downloadJson } from "../../../browser/download.ts";
import type { EditName } from "../../../i18n/compose-edits.ts";
import { useCommands } from "../../../frame/commands.ts";
import { useQueryState } from "../../../frame/location.tsx";
import { composeText } from "../../../i18n/compose.ts";
import { useText } from "../../../i18n/use-text.ts";
import { Button, IconButton } from "../../../kit/button.tsx";
import { classes, floating } from "../../../kit/classes.ts";
import { Menu } from "../../../kit/menu.tsx";
import { ErrorNotice } from "../../../kit/notices.tsx";
import { DetailsDialog } from "./details-dialog.tsx";
import { VersionsDialog } from "../presets/preset-versions.tsx";
import { type Editor, type Mode, useDocument, useEditor, useMode, usePreview } from "../state/editor-state.ts";

export function EditorActions({ id }: { readonly id: string }): ReactElement {
  const text = useText(composeText);
  const editor = useEditor();
  const [dialog, setDialog] = useState<"details" | "versions">();
  useEditorCommands(editor);
  return (
    <>
      <ProblemsButton />
      <SaveState />
      <ModeSwitch />
      <UndoButtons />
      <Menu
        label={text.more}
        groups={[
          [
            { label: text.details, onAction: () => setDialog("details") },
            { label: text.versions, onAction: () => setDialog("versions") },
          ],
          [
            {
              label: text.exportPreset,
              onAction: () => downloadJson(`${id}.json`, editor.document.store.getState().preset),
            },
          ],
        ]}
      />
      {dialog === "details" && <DetailsDialog onClose={() => setDialog(undefined)} />}
      {dialog === "versions" && <VersionsDialog id={id} onClose={() => setDialog(undefined)} />}
    </>
  );
}

function SaveState(): ReactElement {
  const text = useText(composeText);
  const status = useDocument((state) => state.status);
  const version = useDocument((state) => state.version);
  const words = {
    saved: text.saved,
    waiting: text.waiting,
    saving: text.saving,
    failed: text.notSaved,
    conflict: text.conflict,
  };
  return (
    <span role="status" data-status={status} className="text-xs text-muted">
      {words[status]}
      {status === "saved" && <span className="max-md:sr-only">{` · ${text.version(version)}`}</span>}
    </span>
  );
}

/** Why an edit is not saved, in words: what is only kept in this browser must not look saved. */
export function SaveProblem(): ReactElement | null {
  const text = useText(composeText);
  const { document } = useEditor();
  const status = useDocument((state) => state.status);
  const error = useDocument((state) => state.error);
  if (status !== "failed") return null;
  return (
    <div className="flex flex-col gap-1 p-2">
      <ErrorNotice
        error={error}
        lead={text.notSavedLead}
        actions={
          <Button size="small" onPress={() => void document.saveNow()}>
            {text.saveAgain}
          </Button>
        }
      />
    </div>
  );
}

const modes: readonly Mode[] = ["simple", "advanced", "lorebook"];

/** Views of one document: switching changes no byte of the build. */
function ModeSwitch(): ReactElement {
  const text = useText(composeText);
  const { setQuery } = useQueryState();
  const mode = useMode();
  return (
    <div role="group" aria-label={text.mode} className="flex rounded-md border border-edge p-px">
      {modes.map((name) => (
        <button
          key={name}
          type="button"
          aria-pressed={mode === name}
          onClick={() => setQuery({ view: name, recipe: undefined, pane: undefined })}
          className={classes(
            "h-7 rounded px-2.5 text-xs font-medium max-md:px-1.5",
            mode === name ? "bg-accent text-on-accent" : "text-muted hover:text-ink",
          )}
        >
          {text.modes[name]}
        </button>
      ))}
    </div>
  );
}

/** Their names come right after the preview, which an edit is made for. */
function UndoButtons(): ReactElement {
  const undo = useDeferredValue(useDocument((state) => state.history.done.at(-1)?.name));
  const redo = useDeferredValue(useDocument((state) => state.history.undone.at(-1)?.name));
  return (
    <div className="flex">
      <EditButton way="undo" edit={undo} />
      <EditButton way="redo" edit={redo} />
    </div>
  );
}

interface EditButtonProps {
  readonly way: "undo" | "redo";
  readonly edit: EditName | undefined;
}

const EditButton = memo(function EditButton({ way, edit }: EditButtonProps): ReactElement {
  const text = useText(composeText);
  const { document } = useEditor();
  const [icon, none, named] =
    way === "undo" ? [Undo2, text.nothingToUndo, text.undoEdit] : [Redo2, text.nothingToRedo, text.redoEdit];
  const label = edit ? named(text.edits[edit]) : none;
  return <IconButton label={label} icon={icon} isDisabled={!edit} onPress={() => document[way]()} />;
});

/** In the palette, on the keyboard and in the sheet of keys. */
function useEditorCommands({ document }: Editor): void {
  const text = useText(composeText);
  const { setQuery } = useQueryState();
  const mode = useMode();
  useCommands([
    { id: "compose.undo", label: text.undo, keys: "mod+z", run: () => void document.undo() },
    { id: "compose.redo", label: text.redo, keys: "mod+shift+z", run: () => void document.redo() },
    { id: "compose.redo-y", label: text.redo, keys: "mod+y", isHidden: true, run: () => void document.redo() },
    ...modes
      .filter((name) => name !== mode)
      .map((name) => ({
        id: `compose.${name}`,
        label: text.showMode[name],
        run: () => setQuery({ view: name, recipe: undefined, pane: undefined }),
      })),
  ]);
}

/** Everything that is wrong with the preset, each with its path and what to do. */
function ProblemsButton(): ReactElement | null {
  const text = useText(composeText);
  const problems = usePreview((state) => state.problems);
  if (problems.length === 0) return null;
  const hasError = problems.some(({ severity }) => severity === "error");
  return (
    <DialogTrigger>
      <Button size="small" look={hasError ? "danger" : "plain"} icon={TriangleAlert}>
        {text.problems(problems.length)}
      </Button>
      <Popover className={classes(floating, "w-96 max-w-[calc(100vw-1rem)]")}>
        <Dialog aria-label={text.problems(problems.length)} className="max-h-96 overflow-y-auto p-2 outline-none">
          <ul className="flex flex-col gap-2">
            {problems.map(({ code, path, message, hint, severity }) => (
              <li key={`${code} ${path} ${message}`} className="rounded-md border border-line p-2">
                <p className={severity === "error" ? "font-medium text-bad" : "font-medium text-warn"}>{message}</p>
                {hint && <p>{hint}</p>}
                <p className="font-mono text-2xs text-muted">
                  {code}
                  {path && ` · ${path}`}
                </p>
              </li>
            ))}
          </ul>
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}
