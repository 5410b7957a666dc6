import { type Preset, build, digestOf, tokenAccount } from "@galley/engine";
import { expect, test } from "vitest";
import type { EditPlace } from "./document-draft.ts";
import type { TextStorage } from "./document-storage.ts";
import { PresetDocument, type PresetLibrary, type SavedPreset } from "./preset-document.ts";
import { roughTokenizer } from "./rough-tokenizer.ts";
import { sampleConversation } from "./sample-conversation.ts";
import { shownSteps } from "./shown-steps.ts";
import { exampleStarter, simpleStarter } from "./starter-presets.ts";
import { deleteStep, moveStep, setEnabled, setField, setStrategy } from "./step-edits.ts";
import { deleteTemplate, renameTemplate, usesOfTemplate } from "./template-edits.ts";
import { countChanges, duplicateRecipe } from "./recipe-edits.ts";

const simple: EditPlace = { view: "simple", recipe: 0 };
const advanced: EditPlace = { view: "advanced", recipe: 0 };

function memoryStorage(): TextStorage {
  const texts = new Map<string, string>();
  return {
    getItem: (name) => texts.get(name) ?? null,
    setItem: (name, value) => void texts.set(name, value),
    removeItem: (name) => void texts.delete(name),
  };
}

/** A library as the daemon keeps it: every save has to name the version that it was made from. */
function memoryLibrary(preset: Preset): PresetLibrary & { saved: SavedPreset; labels: string[] } {
  const conflict = new Error("PresetConflict");
  const library = {
    saved: { preset, version: 1 },
    labels: [] as string[],
    load: () => Promise.resolve(library.saved),
    save: (request: { preset: Preset; expectedVersion: number; label: string }) => {
      if (request.expectedVersion !== library.saved.version) return Promise.reject(conflict);
      library.labels.push(request.label);
      library.saved = { preset: request.preset, version: library.saved.version + 1 };
      return Promise.resolve(library.saved);
    },
    problemOf: () => undefined,
    isConflict: (error: unknown) => error === conflict,
  };
  return library;
}

function open(preset: Preset, storage = memoryStorage(), library = memoryLibrary(preset)) {
  let time = 0;
  const document = new PresetDocument({
    id: "p",
    saved: library.saved,
    library,
    storage,
    now: () => (time += 10_000),
    saveAfter: 60_000,
  });
  return { document, storage, library, preset: () => document.store.getState().preset };
}

function digest(preset: Preset, model: string): string {
  const account = tokenAccount(roughTokenizer);
  return digestOf(build({ preset, model, account, entries: sampleConversation, config: { maxInputTokens: 10_000 } }));
}

test("edits are taken back and done again by name, to the very document", () => {
  const { document, preset } = open(exampleStarter);
  document.edit("move step", (draft) => moveStep(draft, advanced, 4, 0));
  document.edit("disable step", (draft) => setEnabled(draft, advanced, 0, false));
  document.edit("set depth", (draft) => setStrategy(draft, advanced, 1, { depth: 3 }));
  document.edit("delete step", (draft) => deleteStep(draft, advanced, 2));
  const after = preset();
  expect([document.undo(), document.undo(), document.undo(), document.undo(), document.undo()]).toEqual([
    "delete step",
    "set depth",
    "disable step",
    "move step",
    undefined,
  ]);
  expect(preset()).toEqual(exampleStarter);
  expect([document.redo(), document.redo(), document.redo(), document.redo()]).toHaveLength(4);
  expect(preset()).toEqual(after);
});

test("undo survives a reload, saved or not", async () => {
  const first = open(exampleStarter);
  first.document.edit("move step", (draft) => moveStep(draft, advanced, 4, 0));
  await first.document.close();
  const second = open(exampleStarter, first.storage, first.library);
  expect(second.document.undo()).toBe("move step");
  expect(second.preset()).toEqual(exampleStarter);
  expect(second.document.redo()).toBe("move step");
  await second.document.close();
  expect(second.library.labels).toEqual(["move step", "undo: move step, redo: move step"]);
});

test("an edit that the library never got is there again after a reload", async () => {
  const first = open(exampleStarter);
  const refusing = { ...first.library, save: () => Promise.reject(new Error("offline")) };
  const broken = open(exampleStarter, first.storage, refusing);
  broken.document.edit("disable step", (draft) => setEnabled(draft, advanced, 0, false));
  await broken.document.saveNow();
  expect(broken.document.store.getState().status).toBe("failed");
  const again = open(exampleStarter, first.storage, first.library);
  expect(again.preset().contextRecipes?.[0]?.steps[0]?.enabled).toBe(false);
  await again.document.saveNow();
  expect(first.library.saved.preset.contextRecipes?.[0]?.steps[0]?.enabled).toBe(false);
});

test("letters typed into one text are one edit; a pause or another text begins the next", () => {
  const { library, storage } = open(simpleStarter);
  let time = 0;
  const document = new PresetDocument({ id: "q", saved: library.saved, library, storage, now: () => time });
  for (const [at, text] of [
    [0, "a"],
    [500, "ab"],
    [900, "abc"],
    [9000, "abcd"],
  ] as const) {
    time = at;
    document.edit("edit text", (draft) => setField(draft, simple, 0, "content", text), "text 0");
  }
  document.undo();
  expect(document.store.getState().preset.presetMessages?.[0]?.content).toBe("abc");
  document.undo();
  expect(document.store.getState().preset).toEqual(simpleStarter);
});

test("two pages: mine or theirs, and neither is lost", async () => {
  for (const choice of ["mine", "theirs"] as const) {
    const library = memoryLibrary(simpleStarter);
    const a = open(simpleStarter, memoryStorage(), library);
    const b = open(simpleStarter, memoryStorage(), library);
    a.document.edit("edit text", (draft) => setField(draft, simple, 0, "content", "A"));
    b.document.edit("edit text", (draft) => setField(draft, simple, 0, "content", "B"));
    await a.document.saveNow();
    await b.document.saveNow();
    expect(b.document.store.getState()).toMatchObject({ status: "conflict", theirs: { version: 2 } });
    await b.document.settle(choice);
    expect(b.preset().presetMessages?.[0]?.content).toBe(choice === "mine" ? "B" : "A");
    expect(b.document.store.getState().status).toBe("saved");
    b.document.undo();
    // Undo takes back what came last: mine as an edit, or theirs, which had taken the place of mine.
    const before = choice === "mine" ? simpleStarter.presetMessages?.[0]?.content : "B";
    expect(b.preset().presetMessages?.[0]?.content).toBe(before);
  }
});

test("[C11] looking at a simple preset in the advanced view changes nothing, editing it there keeps every byte", () => {
  const { document, preset } = open(simpleStarter);
  expect(shownSteps(preset(), 0).map(({ id }) => id)).toEqual(["system_core", "chat_history"]);
  document.edit("disable step", (draft) => setEnabled(draft, advanced, 0, false));
  document.edit("enable step", (draft) => setEnabled(draft, advanced, 0, true));
  expect(preset().presetMessages).toBeUndefined();
  expect(digest(preset(), "gpt-5")).toBe(digest(simpleStarter, "gpt-5"));
  document.undo();
  document.undo();
  expect(preset()).toEqual(simpleStarter);
});

test("[C11] in the simple view a text goes to the template, or to the override where there is one; the rest to the steps", () => {
  const { document, preset } = open(exampleStarter);
  document.edit("edit text", (draft) => setField(draft, advanced, 3, "content", "own text"));
  const { messageTemplates: templates = [], contextRecipes: recipes = [] } = preset();
  const [core, anchor, history, thoughts, world, note] = recipes[0]?.steps ?? [];
  document.edit("edit text", (draft) => {
    setField(draft, simple, 0, "content", "new");
    setField(draft, simple, 0, "role", "user");
    setField(draft, simple, 3, "content", "newer");
    setStrategy(draft, simple, 3, { depth: 7 });
    setEnabled(draft, simple, 4, false);
    moveStep(draft, simple, 5, 0);
  });
  expect(preset().messageTemplates).toEqual(
    templates.map((template) =>
      template.id === core?.messageId ? { ...template, content: "new", role: "user" } : template,
    ),
  );
  expect(preset().contextRecipes?.[0]?.steps).toEqual([
    note,
    core,
    anchor,
    history,
    { ...thoughts, overrides: { content: "newer" }, injectionStrategy: { depth: 7 } },
    { ...world, enabled: false },
  ]);
  expect(preset().contextRecipes?.slice(1)).toEqual(recipes.slice(1));
});

test("[C3] what a step does not say comes from its template; Reset gives it back", () => {
  const { document, preset } = open(exampleStarter);
  const step = () => shownSteps(preset(), 0)[4];
  expect(step()).toMatchObject({
    owns: { strategy: false, content: false },
    strategy: { anchorTarget: "world_info_anchor" },
  });
  document.edit("set depth", (draft) => setStrategy(draft, advanced, 4, { depth: 1 }));
  document.edit("edit text", (draft) => setField(draft, advanced, 4, "content", "x"));
  expect(step()).toMatchObject({ owns: { strategy: true, content: true }, strategy: { depth: 1 }, content: "x" });
  document.edit("reset injection", (draft) => setStrategy(draft, advanced, 4, undefined));
  document.edit("reset text", (draft) => setField(draft, advanced, 4, "content", undefined));
  expect(preset()).toEqual(exampleStarter);
});

test("a template takes its uses along when it is renamed, and is told of before it is deleted", () => {
  const { document, preset } = open(exampleStarter);
  document.edit("rename template", (draft) => renameTemplate(draft, "world_info_anchor", "world"));
  expect(usesOfTemplate(preset(), "world")).toEqual({
    steps: [
      { recipe: "claude-recipe", number: 2 },
      { recipe: "gpt-recipe", number: 2 },
      { recipe: "default-recipe", number: 2 },
    ],
    injections: ["world_info"],
  });
  document.edit("delete template", (draft) => deleteTemplate(draft, "world"));
  expect(usesOfTemplate(preset(), "world")).toEqual({ steps: [], injections: [] });
  expect(() => digest(preset(), "gpt-5")).not.toThrow();
  document.undo();
  document.undo();
  expect(preset()).toEqual(exampleStarter);
});

test("a recipe is told as changes to another one", () => {
  const [claude, gpt, other] = exampleStarter.contextRecipes ?? [];
  if (!claude || !gpt || !other) throw new Error("The example has three recipes.");
  expect([countChanges(other, other), countChanges(gpt, other), countChanges(claude, other)]).toEqual([0, 2, 2]);
  const { document, preset } = open(exampleStarter);
  document.edit("duplicate recipe", (draft) => duplicateRecipe(draft, 2));
  document.edit("move step", (draft) => moveStep(draft, { view: "advanced", recipe: 3 }, 0, 2));
  expect(preset().contextRecipes?.[3]).toMatchObject({ id: "default-recipe-copy", modelFilter: [] });
  expect(countChanges(preset().contextRecipes?.[3] ?? other, other)).toBe(1);
});
