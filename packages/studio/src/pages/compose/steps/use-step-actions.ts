import type { ChatMessageNode, InjectionStrategy } from "@galley/engine";
import { useMemo } from "react";
import type { EditPlace } from "../../../document/document-draft.ts";
import type { EditName } from "../../../i18n/compose-edits.ts";
import type { PresetDocument } from "../../../document/preset-document.ts";
import { editEntries } from "../../../document/lore-edits.ts";
import { callName } from "../../../document/preset-names.ts";
import { type ShownStep, shownSteps } from "../../../document/shown-steps.ts";
import {
  type StepFields,
  addNode,
  addStep,
  deleteStep,
  duplicateStep,
  moveStep,
  setEnabled,
  setField,
  setStrategy,
} from "../../../document/step-edits.ts";
import { composeText } from "../../../i18n/compose.ts";
import { useText } from "../../../i18n/use-text.ts";
import { showToast } from "../../../kit/notices.tsx";
import { type Editor, useEditor, usePlace } from "../state/editor-state.ts";

export type StepActions = ReturnType<typeof stepActions>;

const fieldEdits: Readonly<Record<keyof StepFields, { readonly set: EditName; readonly reset: EditName }>> = {
  content: { set: "edit text", reset: "reset text" },
  role: { set: "set role", reset: "set role" },
  priority: { set: "set priority", reset: "set priority" },
};

type Words = (typeof composeText)["en"];

export function useStepActions(): StepActions {
  const { document, view } = useEditor();
  const place = usePlace();
  const text = useText(composeText);
  return useMemo(() => stepActions(document, view, place, text), [document, view, place, text]);
}

/** All that can be done to the steps that are shown. Whatever moves, adds or deletes says so, with Undo. */
function stepActions(document: PresetDocument, view: Editor["view"], place: EditPlace, text: Words) {
  const steps = (): readonly ShownStep[] => shownSteps(document.store.getState().preset, place.recipe);
  const newest = (): unknown => document.store.getState().history.done.at(-1);
  /** Its Undo is for this edit alone: with the next one, or once this one is undone, it goes. */
  const tell = (message: string): void => {
    const edit = newest();
    const close = showToast({ text: message, undo: () => void document.undo() });
    const stop = document.store.subscribe(() => {
      if (newest() === edit) return;
      stop();
      close();
    });
  };
  const nameOf = (index: number): string => {
    const step = steps()[index];
    return step ? callName(step, text.kinds) : "";
  };
  return {
    /** `to` counts the list without the step. */
    move(from: number, to: number): void {
      if (from === to) return;
      const id = nameOf(from);
      document.edit("move step", (draft) => moveStep(draft, place, from, to));
      tell(text.moved(id, to + 1));
    },
    addTemplate(id: string, at = steps().length): void {
      document.edit("add step", (draft) => addStep(draft, place, id, at));
      tell(text.added(nameOf(at), at + 1));
    },
    addMessage(node: ChatMessageNode, at = steps().length): void {
      document.edit("add step", (draft) => addNode(draft, place, node, at));
      const key = steps()[at]?.key;
      view.setState({ openStep: key, freshStep: key });
      tell(text.added(nameOf(at), at + 1));
    },
    duplicate(index: number): void {
      const id = nameOf(index);
      document.edit("duplicate step", (draft) => duplicateStep(draft, place, index));
      tell(text.added(id, index + 2));
    },
    remove(index: number): void {
      const id = nameOf(index);
      document.edit("delete step", (draft) => deleteStep(draft, place, index));
      tell(text.deleted(id));
    },
    rename(index: number, name: string): void {
      document.edit("rename step", (draft) => editEntries(draft, place, [index], { name }));
    },
    setEnabled(index: number, enabled: boolean): void {
      document.edit(enabled ? "enable step" : "disable step", (draft) => setEnabled(draft, place, index, enabled));
    },
    setStrategy(index: number, strategy: InjectionStrategy | undefined, name: EditName): void {
      document.edit(name, (draft) => setStrategy(draft, place, index, strategy), `${name} ${place.recipe} ${index}`);
    },
    setField<Key extends keyof StepFields>(index: number, key: Key, value: StepFields[Key] | undefined): void {
      const name = fieldEdits[key][value === undefined ? "reset" : "set"];
      // What is typed is one edit; each choice of a role is one of its own.
      const thing = key === "role" ? undefined : `${key} ${place.recipe} ${index}`;
      document.edit(name, (draft) => setField(draft, place, index, key, value), thing);
    },
  };
}

/** The step that an element of the list belongs to. */
export function stepIndexAt(element: EventTarget): number | undefined {
  const row = element instanceof Element ? element.closest<HTMLElement>("[data-step-index]") : null;
  return row ? Number(row.dataset["stepIndex"]) : undefined;
}

/** What a drag carries: a template of the library, or a step of the list. */
export const templateType = "application/x-galley-template";
export const stepType = "application/x-galley-step";
