import { Ellipsis } from "lucide-react";
import { type ReactElement, useState } from "react";
import { deleteRecipe, duplicateRecipe, renameRecipe } from "../../../document/recipe-edits.ts";
import { useQueryState } from "../../../frame/navigation-state.ts";
import { composeText } from "../../../i18n/compose.ts";
import { useText } from "../../../i18n/use-text.ts";
import { Button, IconButton } from "../../../kit/button.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { Menu } from "../../../kit/menu.tsx";
import { TextField } from "../../../kit/text-field.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { recipesOf, useDocument, useEditor, usePlace } from "../state/editor-state.ts";

export function RecipeMenu(): ReactElement | null {
  const text = useText(composeText);
  const { document } = useEditor();
  const { recipe } = usePlace();
  const { setQuery } = useQueryState();
  const count = useDocument((state) => recipesOf(state.preset).length);
  const id = useDocument((state) => recipesOf(state.preset)[recipe]?.id);
  const [isRenaming, setIsRenaming] = useState(false);
  if (id === undefined) return null;
  const duplicate = (): void => {
    document.edit("duplicate recipe", (draft) => duplicateRecipe(draft, recipe));
    setQuery({ recipe: document.store.getState().preset.contextRecipes?.at(-1)?.id });
  };
  const remove = (): void => {
    document.edit("delete recipe", (draft) => deleteRecipe(draft, recipe));
    setQuery({ recipe: undefined });
    showToast({ text: text.deleted(id), undo: () => void document.undo() });
  };
  return (
    <>
      <Menu
        label={text.recipeActions(id)}
        trigger={
          <IconButton size="small" label={text.recipeActions(id)}>
            <Ellipsis aria-hidden size={15} />
          </IconButton>
        }
        groups={[
          [
            { id: "rename", label: text.rename, onAction: () => setIsRenaming(true) },
            { id: "duplicate", label: text.duplicate, onAction: duplicate },
          ],
          [
            {
              id: "delete",
              label: text.delete,
              isDangerous: true,
              isDisabled: count < 2,
              ...(count < 2 ? { note: text.lastRecipe } : {}),
              onAction: remove,
            },
          ],
        ]}
      />
      {isRenaming && <RenameDialog index={recipe} id={id} onClose={() => setIsRenaming(false)} />}
    </>
  );
}

interface RenameDialogProps {
  readonly index: number;
  readonly id: string;
  readonly onClose: () => void;
}

function RenameDialog({ index, id, onClose }: RenameDialogProps): ReactElement {
  const text = useText(composeText);
  const { document } = useEditor();
  const { setQuery } = useQueryState();
  const taken = useDocument((state) => recipesOf(state.preset));
  const [name, setName] = useState(id);
  const wanted = name.trim();
  const isBad = wanted === "" || taken.some((recipe, other) => other !== index && recipe.id === wanted);
  const rename = (): void => {
    document.edit("rename recipe", (draft) => renameRecipe(draft, index, wanted));
    setQuery({ recipe: wanted });
    onClose();
  };
  return (
    <Dialog
      title={text.renameRecipe}
      isOpen
      onClose={onClose}
      actions={
        <Button look="primary" isDisabled={isBad} onPress={rename}>
          {text.save}
        </Button>
      }
    >
      <TextField
        label={text.recipeId}
        value={name}
        onChange={setName}
        isInvalid={isBad}
        errorMessage={text.recipeIdBad}
        onKeyDown={(event) => event.key === "Enter" && !isBad && rename()}
        mono
      />
    </Dialog>
  );
}
