import { type MessageTemplate, kindOf } from "@galley/engine";
import { GripVertical, Plus } from "lucide-react";
import { type ReactElement, memo, useMemo, useState } from "react";
import {
  Button as AriaButton,
  GridList,
  GridListItem,
  ListLayout,
  Virtualizer,
  useDragAndDrop,
} from "react-aria-components";
import { hasWords } from "../../../api/words.ts";
import { callName, presetCallNames } from "../../../document/preset-names.ts";
import { advancedForm } from "../../../document/shown-steps.ts";
import { deleteTemplate, duplicateTemplate, usesOfTemplate } from "../../../document/template-edits.ts";
import { composeText } from "../../../i18n/compose.ts";
import { useText } from "../../../i18n/use-text.ts";
import { classes } from "../../../kit/classes.ts";
import { Button, IconButton } from "../../../kit/button.tsx";
import { SearchField } from "../../../kit/fields.tsx";
import { Menu } from "../../../kit/menu.tsx";
import { showToast } from "../../../kit/notices.tsx";
import { useRowTitle } from "../steps/row-title.ts";
import { TemplateDialog } from "./template-dialog.tsx";
import { useDocument, useEditor } from "../state/editor-state.ts";
import { templateType, useStepActions } from "../steps/use-step-actions.ts";
import { KindIcon } from "../steps/step-row.tsx";
import { StrategyTag } from "../steps/strategy-tag.tsx";
import { AskDialog } from "../../../kit/dialog.tsx";

const noTemplates: readonly MessageTemplate[] = [];

type Open = { readonly what: "new" } | { readonly what: "edit" | "delete"; readonly id: string };

/** The templates: search, new, edit, duplicate, delete, and into the recipe by drag or by a button. */
export const LibraryPanel = memo(function LibraryPanel(): ReactElement {
  const text = useText(composeText);
  const templates = useDocument((state) => advancedForm(state.preset).messageTemplates) ?? noTemplates;
  const [search, setSearch] = useState("");
  const [open, setOpen] = useState<Open>();
  const found = useMemo(
    () => templates.filter(({ id, name = "", content = "" }) => hasWords(`${id} ${name} ${content}`, search)),
    [templates, search],
  );
  return (
    <section
      aria-label={text.library}
      className="flex min-h-0 min-w-0 flex-1 flex-col gap-2 p-3 lg:border-r lg:border-line"
    >
      <div className="flex items-center gap-2">
        <h2 className="font-semibold">{text.library}</h2>
        <span className="mr-auto shrink-0 text-muted tabular-nums">{templates.length}</span>
        <Button onPress={() => setOpen({ what: "new" })} icon={Plus}>
          {text.new}
        </Button>
      </div>
      <SearchField label={text.searchTemplates} value={search} onChange={setSearch} isPageSearch />
      <TemplateList
        templates={found}
        onOpen={setOpen}
        empty={templates.length === 0 ? text.noTemplates : text.noMatches}
      />
      {open?.what === "new" && <TemplateDialog onClose={() => setOpen(undefined)} />}
      {open?.what === "edit" && <TemplateDialog id={open.id} onClose={() => setOpen(undefined)} />}
      {open?.what === "delete" && <DeleteTemplateDialog id={open.id} onClose={() => setOpen(undefined)} />}
    </section>
  );
});

interface TemplateListProps {
  readonly templates: readonly MessageTemplate[];
  readonly onOpen: (open: Open) => void;
  readonly empty: string;
}

function TemplateList({ templates, onOpen, empty }: TemplateListProps): ReactElement {
  const text = useText(composeText);
  const { dragAndDropHooks } = useDragAndDrop({
    getItems: (keys) => [...keys].map((key) => ({ [templateType]: String(key), "text/plain": String(key) })),
    getAllowedDropOperations: () => ["copy"],
  });
  return (
    <Virtualizer layout={ListLayout} layoutOptions={{ estimatedRowSize: 58, gap: 6 }}>
      <GridList
        aria-label={text.library}
        items={templates}
        dragAndDropHooks={dragAndDropHooks}
        keyboardNavigationBehavior="tab"
        renderEmptyState={() => <p className="p-2 text-muted">{empty}</p>}
        className="block min-h-0 w-full flex-1 overflow-y-auto outline-none"
      >
        {(template) => <TemplateCard template={template} onOpen={onOpen} />}
      </GridList>
    </Virtualizer>
  );
}

interface TemplateCardProps {
  readonly template: MessageTemplate;
  readonly onOpen: (open: Open) => void;
}

function TemplateCard({ template, onOpen }: TemplateCardProps): ReactElement {
  const text = useText(composeText);
  const { document } = useEditor();
  const actions = useStepActions();
  const { id, content } = template;
  const kind = kindOf(template);
  const role = template.role === "placeholder" ? "system" : template.role;
  const title = useRowTitle({ id, name: template.name, content: content ?? "", kind });
  const name = callName({ id, name: template.name, content: content ?? "", kind }, text.kinds);
  return (
    <GridListItem
      id={id}
      textValue={name}
      data-template={id}
      className="flex items-center gap-1 rounded-md border border-line bg-raised py-1.5 pr-1 pl-1 data-[dragging]:opacity-50 data-[focus-visible]:outline-2 data-[focus-visible]:-outline-offset-2"
    >
      <AriaButton
        slot="drag"
        aria-label={text.dragTemplate(name)}
        className="flex h-6 w-5 shrink-0 cursor-grab items-center justify-center rounded text-muted max-lg:hidden"
      >
        <GripVertical aria-hidden size={13} />
      </AriaButton>
      <div className="flex min-w-0 flex-1 flex-col gap-0.5">
        <span className="flex items-center gap-1.5">
          <KindIcon kind={kind} role={role} />
          <span title={id} className="min-w-0 truncate text-xs">
            {title.name}
          </span>
        </span>
        {(title.handle ?? title.line) && (
          <span className={classes("truncate text-xs text-muted", title.handle && "font-mono")}>
            {title.handle ?? title.line}
          </span>
        )}
        {template.defaultInjectionStrategy && (
          <span className="flex min-w-0">
            <StrategyTag strategy={template.defaultInjectionStrategy} isInherited />
          </span>
        )}
      </div>
      <IconButton size="small" label={text.addToRecipe(name)} onPress={() => actions.addTemplate(id)} icon={Plus} />
      <Menu
        label={text.templateActions(name)}
        groups={[
          [
            { label: text.edit, onAction: () => onOpen({ what: "edit", id }) },
            {
              label: text.duplicate,
              onAction: () => document.edit("duplicate template", (draft) => duplicateTemplate(draft, id)),
            },
          ],
          [{ label: text.delete, isDangerous: true, onAction: () => onOpen({ what: "delete", id }) }],
        ]}
      />
    </GridListItem>
  );
}

/** Says what uses a template before it goes. */
function DeleteTemplateDialog({ id, onClose }: { readonly id: string; readonly onClose: () => void }): ReactElement {
  const text = useText(composeText);
  const { document } = useEditor();
  const preset = useDocument((state) => state.preset);
  const { steps, injections } = usesOfTemplate(advancedForm(preset), id);
  const names = presetCallNames(advancedForm(preset), text.kinds);
  const name = names.get(id) ?? id;
  const remove = (): void => {
    document.edit("delete template", (draft) => deleteTemplate(draft, id));
    showToast({ text: text.deleted(name), undo: () => void document.undo() });
  };
  return (
    <AskDialog
      title={text.deleteTemplateTitle(name)}
      confirm={text.delete}
      isDangerous
      onClose={onClose}
      onConfirm={remove}
    >
      {steps.length === 0 && injections.length === 0 && <p>{text.deleteTemplateUnused}</p>}
      <Uses
        lead={text.deleteTemplateSteps}
        uses={steps.map(({ recipe, number }) => ({ label: text.usedBy(recipe, number) }))}
      />
      <Uses
        lead={text.deleteTemplateAnchors}
        uses={injections.map((other) => ({ id: other, label: names.get(other) ?? other }))}
      />
    </AskDialog>
  );
}

interface UsesProps {
  readonly lead: string;
  readonly uses: readonly { readonly id?: string; readonly label: string }[];
}

function Uses({ lead, uses }: UsesProps): ReactElement | null {
  if (uses.length === 0) return null;
  return (
    <>
      <p>{lead}</p>
      <ul className="list-disc pl-5 text-xs">
        {uses.map(({ id, label }) => (
          <li key={id ?? label} title={id}>
            {label}
          </li>
        ))}
      </ul>
    </>
  );
}
