import { Plus } from "lucide-react";
import { type ReactElement, memo, useMemo, useState } from "react";
import {
  Dialog,
  DialogTrigger,
  ListBox,
  ListBoxItem,
  ListLayout,
  Popover,
  Tab,
  TabList,
  TabPanel,
  Tabs,
  Virtualizer,
} from "react-aria-components";
import { useShallow } from "zustand/react/shallow";
import { addRecipe, deleteRecipe, duplicateRecipe, renameRecipe } from "../../../document/recipe-edits.ts";
import { useQueryState } from "../../../frame/location.tsx";
import { composeText } from "../../../i18n/compose.ts";
import { useText } from "../../../i18n/use-text.ts";
import { Button, IconButton } from "../../../kit/button.tsx";
import { SearchField, TextField } from "../../../kit/fields.tsx";
import { Menu } from "../../../kit/menu.tsx";
import { showToast } from "../../../kit/notices.tsx";
import { RecipeSettings } from "./recipe-settings.tsx";
import { recipeName, recipesOf, useDocument, useEditor, usePlace, useRecipeInForce } from "../state/editor-state.ts";
import { StepList } from "../steps/step-list.tsx";
import { AskDialog } from "../../../kit/dialog.tsx";
import { presetCallNames } from "../../../document/preset-names.ts";
import { advancedForm } from "../../../document/shown-steps.ts";
import { classes, floating, listLine } from "../../../kit/classes.ts";
import { useStepActions } from "../steps/use-step-actions.ts";

/** Of more recipes than fit, the one that is shown must not be cut off. */
function bringIntoSight(tab: HTMLElement | null): void {
  tab?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

/** Recipe tabs around the same list that simple mode shows. */
export const Workbench = memo(function Workbench(): ReactElement {
  const text = useText(composeText);
  const { recipe } = usePlace();
  const ids = useDocument(useShallow((state) => recipesOf(state.preset).map(({ id }) => id)));
  const names = useDocument(useShallow((state) => recipesOf(state.preset).map(recipeName)));
  const inForce = useRecipeInForce();
  const { setQuery } = useQueryState();
  return (
    <Tabs
      selectedKey={String(recipe)}
      onSelectionChange={(key) => setQuery({ recipe: ids[Number(key)] })}
      className="flex min-h-0 min-w-0 flex-1 flex-col outline-none lg:border-r lg:border-line"
    >
      <div className="flex shrink-0 flex-wrap items-end gap-x-2 border-b border-line bg-sunken px-3 pt-2">
        <h2 className="pb-2 font-semibold max-lg:sr-only">{text.workbench}</h2>
        <TabList aria-label={text.recipes} className="flex min-w-0 flex-1 gap-1 overflow-x-auto">
          {ids.map((id, index) => (
            <Tab
              key={id}
              id={String(index)}
              ref={index === recipe ? bringIntoSight : null}
              className="-mb-px flex shrink-0 cursor-default items-center gap-2 rounded-t-md border border-transparent px-3 py-1.5 text-xs text-muted data-[focus-visible]:-outline-offset-2 data-[hovered]:text-ink data-[selected]:border-line data-[selected]:border-b-canvas data-[selected]:bg-canvas data-[selected]:font-semibold data-[selected]:text-ink"
            >
              <span title={id}>{names[index]}</span>
              {index === inForce && (
                <span
                  role="img"
                  aria-label={text.inForce}
                  title={text.inForce}
                  className="size-2 rounded-full bg-good"
                />
              )}
            </Tab>
          ))}
        </TabList>
        <div className="flex pb-1">
          <AddRecipe />
          <RecipeMenu />
        </div>
      </div>
      {ids.map((id, index) => (
        <TabPanel key={id} id={String(index)} className="min-h-0 flex-1 overflow-y-auto p-3 outline-none">
          <div className="flex flex-col gap-3">
            <RecipeSettings index={index} inForce={inForce} />
            <StepList empty={text.emptySteps} />
            <TemplatePicker />
          </div>
        </TabPanel>
      ))}
      {ids.length === 0 && <p className="p-4 text-muted">{text.noRecipe}</p>}
    </Tabs>
  );
});

function AddRecipe(): ReactElement {
  const text = useText(composeText);
  const { document } = useEditor();
  const { setQuery } = useQueryState();
  const add = (): void => {
    document.edit("add recipe", (draft) => addRecipe(draft, { id: "recipe", modelFilter: [], steps: [] }));
    setQuery({ recipe: document.store.getState().preset.contextRecipes?.at(-1)?.id });
  };
  return <IconButton size="small" label={text.addRecipe} onPress={add} icon={Plus} />;
}

function RecipeMenu(): ReactElement | null {
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
        groups={[
          [
            { label: text.rename, onAction: () => setIsRenaming(true) },
            { label: text.duplicate, onAction: duplicate },
          ],
          [
            {
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
  };
  return (
    <AskDialog title={text.renameRecipe} confirm={text.save} isDisabled={isBad} onClose={onClose} onConfirm={rename}>
      <TextField
        label={text.recipeId}
        value={name}
        onChange={setName}
        isInvalid={isBad}
        errorMessage={text.recipeIdBad}
        mono
      />
    </AskDialog>
  );
}

/** Adds a template to the recipe without a drag. */
const TemplatePicker = memo(function TemplatePicker(): ReactElement {
  const text = useText(composeText);
  const actions = useStepActions();
  const templates = useDocument((state) => advancedForm(state.preset).messageTemplates);
  const names = useDocument((state) => presetCallNames(advancedForm(state.preset), text.kinds));
  const [search, setSearch] = useState("");
  const found = useMemo(() => {
    const wanted = search.trim().toLowerCase();
    return (templates ?? [])
      .map(({ id }) => ({ id, name: names.get(id) ?? id }))
      .filter(({ id, name }) => `${id} ${name}`.toLowerCase().includes(wanted));
  }, [templates, names, search]);
  return (
    <div>
      <DialogTrigger>
        <Button icon={Plus}>{text.addStep}</Button>
        <Popover className={classes(floating, "w-72 max-w-[calc(100vw-1rem)]")}>
          <Dialog aria-label={text.addStepTo} className="flex flex-col gap-2 p-2 outline-none">
            {({ close }) => (
              <>
                <SearchField label={text.searchTemplates} value={search} onChange={setSearch} />
                <Virtualizer layout={ListLayout} layoutOptions={{ rowHeight: 30 }}>
                  <ListBox
                    aria-label={text.library}
                    items={found}
                    onAction={(key) => {
                      actions.addTemplate(String(key));
                      close();
                    }}
                    renderEmptyState={() => <p className="p-2 text-muted">{text.noMatches}</p>}
                    className="block h-56 w-full overflow-y-auto outline-none"
                  >
                    {(template) => (
                      <ListBoxItem id={template.id} textValue={template.name} className={classes(listLine, "text-xs")}>
                        <span title={template.id} className="min-w-0 truncate">
                          {template.name}
                        </span>
                      </ListBoxItem>
                    )}
                  </ListBox>
                </Virtualizer>
              </>
            )}
          </Dialog>
        </Popover>
      </DialogTrigger>
    </div>
  );
});
