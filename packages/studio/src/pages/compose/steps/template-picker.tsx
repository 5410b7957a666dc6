import { kindOf } from "@galley/engine";
import { Plus } from "lucide-react";
import { type ReactElement, memo, useMemo, useState } from "react";
import { Dialog, DialogTrigger, ListBox, ListBoxItem, ListLayout, Popover, Virtualizer } from "react-aria-components";
import { callName } from "../../../document/preset-names.ts";
import { advancedForm } from "../../../document/shown-steps.ts";
import { composeText } from "../../../i18n/compose.ts";
import { useText } from "../../../i18n/use-text.ts";
import { Button } from "../../../kit/button.tsx";
import { classes, floating, listLine } from "../../../kit/classes.ts";
import { SearchField } from "../../../kit/fields.tsx";
import { useDocument } from "../state/editor-state.ts";
import { useStepActions } from "./use-step-actions.ts";

/** Adds a template to the recipe without a drag. */
export const TemplatePicker = memo(function TemplatePicker(): ReactElement {
  const text = useText(composeText);
  const actions = useStepActions();
  const templates = useDocument((state) => advancedForm(state.preset).messageTemplates);
  const [search, setSearch] = useState("");
  const found = useMemo(() => {
    const wanted = search.trim().toLowerCase();
    return (templates ?? [])
      .map((template) => {
        const { id, name, content = "" } = template;
        return { id, name: callName({ id, name, content, kind: kindOf(template) }, text.kinds) };
      })
      .filter(({ id, name }) => `${id} ${name}`.toLowerCase().includes(wanted));
  }, [templates, search, text]);
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
