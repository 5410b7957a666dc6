import {
  type ContextRecipe,
  GalleyError,
  type Preset,
  type RecipeMatch,
  isAdvanced,
  selectRecipe,
} from "@galley/engine";
import { usualLimit } from "@galley/engine/models";
import type { RouteReply } from "galley/api";
import { createContext, useContext } from "react";
import { useStore } from "zustand";
import { type StoreApi, createStore } from "zustand/vanilla";
import { useApi } from "../../../api/use-api.ts";
import type { EditPlace } from "../../../document/document-draft.ts";
import type { DocumentState, PresetDocument } from "../../../document/preset-document.ts";
import type { PreviewState, PreviewStore } from "../../../document/preview-store.ts";
import { roughTokenizer } from "../../../document/rough-tokenizer.ts";
import { advancedForm, stepIndexOf } from "../../../document/shown-steps.ts";
import { useQueryState } from "../../../frame/location.tsx";

/** What is looked at, and what points at what; none of it belongs to the document. */
interface ViewState {
  /** The step whose settings are open, by its key. */
  readonly openStep?: string | undefined;
  /** The one that was just added: its text gets the focus. */
  readonly freshStep?: string | undefined;
  /** The step whose name is being written. */
  readonly renamedStep?: string | undefined;
  /** The template that is being edited, for all recipes that use it. */
  readonly openTemplate?: string | undefined;
  /** The step and the message that are tied together just now, by hover or by focus. */
  readonly linkedStep?: number | undefined;
  readonly linkedMessage?: number | undefined;
  /** Which of the two is pointed at; the other one is brought into view. */
  readonly linkedFrom?: "step" | "message" | undefined;
  readonly showsSecrets: boolean;
}

export interface Editor {
  readonly document: PresetDocument;
  readonly preview: PreviewStore;
  readonly view: StoreApi<ViewState>;
}

export function viewStore(): StoreApi<ViewState> {
  return createStore<ViewState>(() => ({ showsSecrets: false }));
}

export const EditorContext = createContext<Editor | undefined>(undefined);

export function useEditor(): Editor {
  const editor = useContext(EditorContext);
  if (!editor) throw new Error("This stands outside of an editor.");
  return editor;
}

// Every component takes only what it shows: one that takes more is redrawn with every letter typed.

export function useDocument<Value>(select: (state: DocumentState) => Value): Value {
  return useStore(useEditor().document.store, select);
}

export function usePreview<Value>(select: (state: PreviewState) => Value): Value {
  return useStore(useEditor().preview.store, select);
}

export function useView<Value>(select: (state: ViewState) => Value): Value {
  return useStore(useEditor().view, select);
}

/** Ties a step and the message that it stands in while one of them is pointed at, by hover or by focus. */
export function useLink(from: "step" | "message"): (index: number, isOn: boolean) => void {
  const { view, preview } = useEditor();
  return (index, isOn) => {
    const { rows, messageOfStep } = preview.store.getState().preview ?? {};
    const { linkedStep, linkedMessage } = view.getState();
    if (!isOn) {
      if ((from === "step" ? linkedStep : linkedMessage) !== index) return;
      view.setState({ linkedStep: undefined, linkedMessage: undefined, linkedFrom: undefined });
    } else if (from === "step") {
      view.setState({ linkedStep: index, linkedMessage: messageOfStep?.get(index), linkedFrom: from });
    } else {
      const path = rows?.[index]?.find(({ kind }) => kind === "step")?.path;
      view.setState({ linkedStep: stepIndexOf(path), linkedMessage: index, linkedFrom: from });
    }
  };
}

/** Says on an element what the page is built of by now: how many entries, and whether a real tokenizer counts them. */
export function useBuiltMarks(): { readonly "data-entries": number; readonly "data-counted": true | undefined } {
  const entries = usePreview((state) => state.entries.length);
  const isCounted = usePreview((state) => state.tokenizer !== roughTokenizer);
  return { "data-entries": entries, "data-counted": isCounted || undefined };
}

/** The list that edits go to: the mode, and the recipe whose steps are shown. */
export const PlaceContext = createContext<EditPlace>({ view: "simple", recipe: 0 });

export function usePlace(): EditPlace {
  return useContext(PlaceContext);
}

/** The recipe in force for a model [C2]; nothing where the preset has none for it. */
export function recipeInForce(recipes: readonly ContextRecipe[], model: string): RecipeMatch | undefined {
  try {
    return selectRecipe(recipes, model);
  } catch (error) {
    if (error instanceof GalleyError) return undefined;
    throw error;
  }
}

/** What people call a recipe. */
export function recipeName(recipe: Pick<ContextRecipe, "id" | "name"> | undefined): string | undefined {
  return recipe?.name || recipe?.id;
}

export function recipesOf(preset: Preset): readonly ContextRecipe[] {
  return advancedForm(preset).contextRecipes ?? [];
}

/** The index of the recipe in force for the chosen model. */
export function useRecipeInForce(): number | undefined {
  const model = usePreview((state) => state.model);
  return useDocument((state) => recipeInForce(recipesOf(state.preset), model)?.index);
}

/** True when the steps that are shown are those that the preview builds. */
export function useIsInForce(): boolean {
  const { recipe } = usePlace();
  const inForce = useRecipeInForce();
  const isList = useDocument((state) => !isAdvanced(state.preset));
  return isList || inForce === recipe;
}

/** The views of one document. */
export type Mode = "simple" | "advanced" | "lorebook";

/** The mode of the URL; without one, the mode that the document has. */
export function useMode(): Mode {
  const { query } = useQueryState();
  const isAdvancedDocument = useDocument((state) => isAdvanced(state.preset));
  const named = query["view"];
  if (named === "simple" || named === "advanced" || named === "lorebook") return named;
  return isAdvancedDocument ? "advanced" : "simple";
}

export type ModelItem = RouteReply<"models.list">["models"][number];

/** The most that is sent to a model unless somebody says otherwise. */
export function limitOf(model: ModelItem | undefined): number {
  const { contextWindow: window, maxOutput: output } = model ?? {};
  return usualLimit(window === undefined || output === undefined ? undefined : { window, output }).tokens;
}

const none: readonly ModelItem[] = [];

export function useModels(): readonly ModelItem[] {
  return useApi("models.list", {}).data?.models ?? none;
}
