import { type ChatMessageNode, type Preset, build, digestOf, toAdvanced, tokenAccount } from "@galley/engine";
import { simplePreset, strategy } from "@galley/engine/testing";
import fc from "fast-check";
import { freeze, produce } from "immer";
import { describe, expect, test } from "vitest";
import { describeError } from "../api/describe-error.ts";
import type { DraftPreset, EditPlace } from "./document-draft.ts";
import { PresetDocument } from "./preset-document.ts";
import * as recipeEdits from "./recipe-edits.ts";
import { roughTokenizer } from "./rough-tokenizer.ts";
import { sampleConversation } from "./sample-conversation.ts";
import * as stepEdits from "./step-edits.ts";
import * as templateEdits from "./template-edits.ts";

// Every edit is made to a preset that is a list, seen in the advanced view: its first edit also changes the form.

const list: Preset = freeze(
  {
    version: 1,
    variables: { place: "Harbour" },
    presetMessages: [
      { id: "core", role: "system", content: "core text" },
      { id: "anchor", type: "placeholder", role: "system" },
      { id: "history", type: "chat_history", role: "user" },
      { id: "lore", role: "system", content: "lore text", injectionStrategy: { anchorTarget: "anchor", order: 5 } },
      { id: "tail", role: "system", content: "tail text" },
    ],
  },
  true,
);
const place: EditPlace = { view: "advanced", recipe: 0 };
const node: ChatMessageNode = { id: "core", role: "user", content: "new" };

type Edit = (draft: DraftPreset) => void;

const edits: Readonly<Record<string, Edit>> = {
  moveStep: (draft) => stepEdits.moveStep(draft, place, 3, 0),
  addStep: (draft) => stepEdits.addStep(draft, place, "core", 2),
  duplicateStep: (draft) => stepEdits.duplicateStep(draft, place, 3),
  deleteStep: (draft) => stepEdits.deleteStep(draft, place, 0),
  setEnabled: (draft) => stepEdits.setEnabled(draft, place, 3, false),
  setStrategy: (draft) => stepEdits.setStrategy(draft, place, 3, { depth: 2 }),
  "setField content": (draft) => stepEdits.setField(draft, place, 3, "content", "override"),
  "setField role": (draft) => stepEdits.setField(draft, place, 3, "role", "user"),
  "setField priority": (draft) => stepEdits.setField(draft, place, 3, "priority", 7),
  addTemplate: (draft) => templateEdits.addTemplate(draft, { id: "core", role: "system", content: "other" }),
  editTemplate: (draft) => templateEdits.editTemplate(draft, "lore", { content: "edited" }),
  duplicateTemplate: (draft) => templateEdits.duplicateTemplate(draft, "lore"),
  renameTemplate: (draft) => templateEdits.renameTemplate(draft, "anchor", "harbour"),
  deleteTemplate: (draft) => templateEdits.deleteTemplate(draft, "anchor"),
  addRecipe: (draft) => recipeEdits.addRecipe(draft, { id: "default", modelFilter: [], steps: [] }),
  duplicateRecipe: (draft) => recipeEdits.duplicateRecipe(draft, 0),
  renameRecipe: (draft) => recipeEdits.renameRecipe(draft, 0, "main"),
  deleteRecipe: (draft) => recipeEdits.deleteRecipe(draft, 0),
  setModelFilter: (draft) => recipeEdits.setModelFilter(draft, 0, ["gpt-*"]),
  setPostProcessing: (draft) => recipeEdits.setPostProcessing(draft, "squashSystem", true),
  setVariable: (draft) => recipeEdits.setVariable(draft, "place", "Airfield"),
  setText: (draft) => recipeEdits.setText(draft, "name", "Mine"),
};

/** A document after some edits, none of which another one joins. */
function edited(preset: Preset, ...made: readonly Edit[]): PresetDocument {
  const saved = { preset, version: 1 };
  const library = {
    load: () => Promise.resolve(saved),
    save: () => Promise.resolve(saved),
    problemOf: () => undefined,
    isConflict: () => false,
  };
  const storage = { getItem: () => null, setItem: () => undefined, removeItem: () => undefined };
  const document = new PresetDocument({ id: "p", saved, library, storage, now: () => 0, saveAfter: 3_600_000 });
  for (const edit of made) document.edit("edit text", edit);
  return document;
}

const presetOf = ({ store }: PresetDocument): Preset => store.getState().preset;

/** Edits of these make no difference between a list and recipes. */
const ofEveryForm = new Set(["setPostProcessing", "setVariable", "setText"]);

describe.each(Object.entries(edits))("%s", (name, edit) => {
  test("[C11] does to a list what it does to the recipes that the list stands for, and is taken back", () => {
    const document = edited(list, edit);
    const other = edited(freeze(toAdvanced(list), true), edit);
    const [made, expected] = [presetOf(document), presetOf(other)];
    expect(ofEveryForm.has(name) ? toAdvanced(made) : made).toEqual(expected);
    expect(made).not.toEqual(list);
    document.undo();
    expect(presetOf(document)).toEqual(list);
    document.redo();
    expect(presetOf(document)).toEqual(made);
  });

  // Without its only recipe, a preset has no steps to edit.
  test.skipIf(name === "deleteRecipe")("can be followed by every other edit, which changes nothing of before", () => {
    for (const next of Object.values(edits)) {
      const document = edited(list, edit);
      const before = presetOf(document);
      const copy = structuredClone(before);
      document.edit("edit text", next);
      expect(before).toEqual(copy);
    }
  });
});

/** An edit that the simple view of every preset allows; its index is taken modulo the number of messages. */
type SimpleEdit = (draft: DraftPreset, index: number, count: number) => void;

const simpleView: EditPlace = { view: "simple", recipe: 0 };
const simpleEdit: fc.Arbitrary<SimpleEdit> = fc.oneof(
  fc.string({ minLength: 1 }).map(
    (text): SimpleEdit =>
      (draft, at) =>
        stepEdits.setField(draft, simpleView, at, "content", text),
  ),
  fc.constantFrom("system" as const, "user" as const, "assistant" as const).map(
    (role): SimpleEdit =>
      (draft, at) =>
        stepEdits.setField(draft, simpleView, at, "role", role),
  ),
  fc.boolean().map(
    (isOn): SimpleEdit =>
      (draft, at) =>
        stepEdits.setEnabled(draft, simpleView, at, isOn),
  ),
  strategy.map(
    (wanted): SimpleEdit =>
      (draft, at) =>
        stepEdits.setStrategy(draft, simpleView, at, wanted),
  ),
  fc.option(fc.nat(9), { nil: undefined }).map(
    (priority): SimpleEdit =>
      (draft, at) =>
        stepEdits.setField(draft, simpleView, at, "priority", priority),
  ),
  fc.nat().map(
    (to): SimpleEdit =>
      (draft, at, count) =>
        stepEdits.moveStep(draft, simpleView, at, to % count),
  ),
);

/** What a preset builds; the code of the error where it builds nothing, e.g. of anchors that stand in each other. */
function outcomeOf(preset: Preset): string {
  try {
    const account = tokenAccount(roughTokenizer);
    const config = { maxInputTokens: 10_000 };
    return digestOf(build({ preset, model: "gpt-5", userProfile: "u", account, entries: sampleConversation, config }));
  } catch (error) {
    return describeError(error).code;
  }
}

test("[C11] edits in the simple view of recipes build what the same edits of a list build", () => {
  fc.assert(
    fc.property(simplePreset, fc.array(fc.tuple(simpleEdit, fc.nat()), { maxLength: 12 }), (preset, made) => {
      const count = preset.presetMessages.length;
      const after = (start: Preset): Preset =>
        produce(start, (draft) => {
          for (const [edit, at] of made) edit(draft, at % count, count);
        });
      expect(outcomeOf(after(toAdvanced(preset)))).toBe(outcomeOf(after(preset)));
    }),
  );
});

test("the simple view of a list duplicates a message, and names it", () => {
  const document = edited(list, (draft) => stepEdits.duplicateStep(draft, { view: "simple", recipe: 0 }, 0));
  const nodes = presetOf(document).presetMessages ?? [];
  expect(nodes.map(({ id }) => id)).toEqual(["core", "core-2", "anchor", "history", "lore", "tail"]);
  const added = edited(list, (draft) => stepEdits.addNode(draft, { view: "simple", recipe: 0 }, node, 0));
  expect(presetOf(added).presetMessages?.[0]).toEqual({ ...node, id: "core-2" });
});

test("every edit there is stands in the table", () => {
  const helpers = "switchStep placeStep deleteTemplates filterProblem defaultRecipeIndex countChanges usesOfTemplate";
  const other = new Set(["addNode", ...helpers.split(" ")]);
  const exported = Object.keys({ ...stepEdits, ...templateEdits, ...recipeEdits });
  const inTable = new Set(Object.keys(edits).map((name) => name.replace(/ .*/, "")));
  expect(exported.filter((name) => !other.has(name)).toSorted()).toEqual([...inTable].toSorted());
});
