import { X } from "lucide-react";
import { type ReactElement, memo, useMemo, useState } from "react";
import { Button as AriaButton, Label, Tag, TagGroup, TagList } from "react-aria-components";
import { countChanges, defaultRecipeIndex, filterProblem, setModelFilter } from "../../../document/recipe-edits.ts";
import { advancedForm } from "../../../document/shown-steps.ts";
import { useQueryState } from "../../../frame/location.tsx";
import { composeText } from "../../../i18n/compose.ts";
import { useText } from "../../../i18n/use-text.ts";
import { Button } from "../../../kit/button.tsx";
import { labelText } from "../../../kit/classes.ts";
import { TextField } from "../../../kit/fields.tsx";
import { recipeInForce, recipesOf, useDocument, useEditor, useModels, usePreview } from "../state/editor-state.ts";

export interface RecipeSettingsProps {
  readonly index: number;
  readonly inForce: number | undefined;
}

export const RecipeSettings = memo(function RecipeSettings({ index, inForce }: RecipeSettingsProps): ReactElement {
  return (
    <div className="flex flex-col gap-2">
      <div className="flex min-w-0 flex-wrap items-start gap-2">
        <ModelFilter index={index} />
        <Changes index={index} />
      </div>
      {inForce !== index && <NotInForce index={index} />}
    </div>
  );
});

const noFilter: readonly string[] = [];

/** The models that a recipe is for, as tags. */
function ModelFilter({ index }: { readonly index: number }): ReactElement {
  const text = useText(composeText);
  const { document } = useEditor();
  const filter = useDocument((state) => recipesOf(state.preset)[index]?.modelFilter) ?? noFilter;
  const models = useModels();
  const set = (next: readonly string[]): void =>
    document.edit("set model filter", (draft) => setModelFilter(draft, index, next));
  const fits = useMemo(
    () => models.filter(({ id }) => recipeInForce([{ id: "this", modelFilter: filter, steps: [] }], id)).length,
    [models, filter],
  );
  return (
    <>
      <TagGroup
        onRemove={(keys) => set(filter.filter((pattern) => !keys.has(pattern)))}
        className="flex flex-wrap items-center gap-2 py-1.5"
      >
        <Label className={labelText}>{text.modelFilter}</Label>
        <TagList
          items={filter.map((pattern) => ({ id: pattern }))}
          renderEmptyState={() => <span className="text-xs text-warn">{text.filterNone}</span>}
          className="flex flex-wrap gap-1"
        >
          {({ id }) => (
            <Tag
              textValue={id}
              className="inline-flex cursor-default items-center gap-1 rounded border border-edge bg-canvas px-1.5 py-px font-mono text-xs data-[focus-visible]:outline-2"
            >
              {id}
              <AriaButton slot="remove" className="rounded text-muted">
                <X aria-hidden size={11} />
              </AriaButton>
            </Tag>
          )}
        </TagList>
      </TagGroup>
      <FilterField filter={filter} onAdd={(pattern) => set([...filter, pattern])} />
      {models.length > 0 && filter.length > 0 && (
        <span className="py-1.5 text-xs text-muted">{text.filterMatches(fits)}</span>
      )}
    </>
  );
}

interface FilterFieldProps {
  readonly filter: readonly string[];
  readonly onAdd: (pattern: string) => void;
}

function FilterField({ filter, onAdd }: FilterFieldProps): ReactElement {
  const text = useText(composeText);
  const [typed, setTyped] = useState("");
  const [problem, setProblem] = useState<ReturnType<typeof filterProblem>>();
  const words = { empty: text.filterEmpty, spaces: text.filterSpaces, twice: text.filterTwice };
  const add = (): void => {
    const wanted = typed.trim();
    const found = filterProblem(wanted, filter);
    setProblem(found);
    if (found) return;
    onAdd(wanted);
    setTyped("");
  };
  return (
    <TextField
      aria-label={text.addFilter}
      placeholder={text.addFilter}
      value={typed}
      onChange={(next) => {
        setTyped(next);
        setProblem(undefined);
      }}
      onEnter={add}
      isInvalid={problem !== undefined}
      errorMessage={problem && words[problem]}
      mono
      className="w-60"
    />
  );
}

/** Recipes are told as "default + N changes". */
function Changes({ index }: { readonly index: number }): ReactElement | null {
  const text = useText(composeText);
  const told = useDocument((state) => {
    const recipes = recipesOf(state.preset);
    const baseIndex = defaultRecipeIndex(advancedForm(state.preset));
    const [recipe, base] = [recipes[index], recipes[baseIndex]];
    if (!recipe || !base || recipes.length < 2) return undefined;
    return index === baseIndex ? text.isBase : text.changes(base.id, countChanges(recipe, base));
  });
  if (told === undefined) return null;
  return (
    <span data-testid="recipe-changes" className="py-1.5 text-xs text-muted">
      {told}
    </span>
  );
}

/** Says which recipe the preview shows instead, and offers a model that this one is for. */
function NotInForce({ index }: { readonly index: number }): ReactElement | null {
  const text = useText(composeText);
  const { setQuery } = useQueryState();
  const recipes = useDocument((state) => recipesOf(state.preset));
  const model = usePreview((state) => state.model);
  const models = useModels();
  const match = recipeInForce(recipes, model);
  const filter = recipes[index]?.modelFilter;
  const other = useMemo(() => {
    const exact = filter?.find((pattern) => !pattern.includes("*"));
    const fits = (id: string): boolean => recipeInForce(recipes, id)?.index === index;
    if (exact !== undefined && fits(exact)) return exact;
    const sorted = [...models].sort((a, b) => Number(b.usable) - Number(a.usable));
    return sorted.find(({ id }) => fits(id))?.id;
  }, [models, recipes, filter, index]);
  if (!match) return null;
  return (
    <div className="flex flex-wrap items-center gap-2 rounded-md bg-warn-soft px-3 py-2 text-xs">
      <span className="min-w-0 flex-1">{text.notInForce(model, match.recipe.id)}</span>
      {other !== undefined && (
        <Button size="small" onPress={() => setQuery({ model: other })}>
          {text.previewWith(other)}
        </Button>
      )}
    </div>
  );
}
