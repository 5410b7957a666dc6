import { isAdvanced } from "@galley/engine";
import { type ReactElement, memo } from "react";
import { useShallow } from "zustand/react/shallow";
import { useQueryState } from "../../../frame/navigation-state.ts";
import { composeText } from "../../../i18n/compose.ts";
import { useText } from "../../../i18n/use-text.ts";
import { Hint } from "../../../kit/tooltip.tsx";
import { recipeInForce, recipesOf, useDocument, usePreview } from "../state/editor-state.ts";
import { ModelBox } from "../recipes/model-box.tsx";

/** The model, and which recipe it gets by which rule [C2]. */
export const EditorHeader = memo(function EditorHeader(): ReactElement {
  const { setQuery } = useQueryState();
  const model = usePreview((state) => state.model);
  return (
    <>
      <ModelBox value={model} onChange={(next) => setQuery({ model: next, recipe: undefined })} />
      <Match model={model} />
    </>
  );
});

function Match({ model }: { readonly model: string }): ReactElement {
  const text = useText(composeText);
  const isList = useDocument((state) => !isAdvanced(state.preset));
  const match = useDocument(
    useShallow((state) => {
      const found = recipeInForce(recipesOf(state.preset), model);
      return found && { id: found.recipe.id, pattern: found.pattern, rule: found.rule };
    }),
  );
  if (isList) return <span className="text-xs text-muted">{text.oneList}</span>;
  if (!match) return <span className="text-xs font-medium text-bad">{text.noRecipe}</span>;
  const [before, after] = text.matchedBy("\u0000", match.id).split("\u0000");
  return (
    <Hint text={text.matchRule[match.rule]} className="text-xs text-muted">
      <span data-testid="recipe-match">
        {before}
        <code className="font-mono">{match.pattern}</code>
        {after}
      </span>
    </Hint>
  );
}
