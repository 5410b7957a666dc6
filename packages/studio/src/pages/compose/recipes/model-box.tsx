import { ChevronDown } from "lucide-react";
import { type ReactElement, useMemo, useState } from "react";
import { Button, ComboBox, Group, Input, Label, ListBox, ListBoxItem, Popover } from "react-aria-components";
import { composeText } from "../../../i18n/compose.ts";
import { useFormats, useText } from "../../../i18n/use-text.ts";
import { classes, fieldBox, floating, labelText, listLine } from "../../../kit/classes.ts";
import { useModels } from "../state/editor-state.ts";

export interface ModelBoxProps {
  readonly value: string;
  readonly onChange: (model: string) => void;
}

const maxShown = 60;

/** The models of the catalogue, found by typing; a name that it does not have may be typed as well. */
export function ModelBox({ value, onChange }: ModelBoxProps): ReactElement {
  const text = useText(composeText);
  const formats = useFormats();
  const models = useModels();
  // What is typed counts until a model is chosen; changing it in between would open the list again.
  const [typing, setTyping] = useState({ text: value, before: value });
  const typed = typing.before === value ? typing.text : value;
  const shown = useMemo(() => {
    const wanted = typed === value ? "" : typed.trim().toLowerCase();
    // `ollama/*` stands for all models of a server: no model is called so.
    const found = models.filter(({ id }) => !id.includes("*") && id.toLowerCase().includes(wanted));
    return [...found].sort((a, b) => Number(b.usable) - Number(a.usable)).slice(0, maxShown);
  }, [models, typed, value]);
  const choose = (model: string): void => {
    setTyping({ text: model === "" ? value : model, before: value });
    if (model !== "" && model !== value) onChange(model);
  };
  return (
    <ComboBox
      items={shown}
      inputValue={typed}
      onInputChange={(text) => setTyping({ text, before: value })}
      onSelectionChange={(key) => key !== null && choose(String(key))}
      menuTrigger="input"
      allowsCustomValue
      onBlur={() => choose(typed.trim())}
      onKeyDown={(event) => {
        // With a model marked in the list, Enter chooses that one; it must not choose what was typed as well.
        const isMarked = event.currentTarget.hasAttribute("aria-activedescendant");
        if (event.key === "Enter" && !isMarked) choose(typed.trim());
      }}
      className="flex min-w-0 items-center gap-2"
    >
      <Label className={labelText}>{text.model}</Label>
      <Group className={classes(fieldBox, "flex h-8 w-52 max-w-full items-center focus-within:border-accent")}>
        <Input className="h-full min-w-0 flex-1 bg-transparent pl-3 outline-none" />
        <Button className="flex h-full items-center px-2 text-muted">
          <ChevronDown aria-hidden size={15} />
        </Button>
      </Group>
      <Popover className={classes(floating, "min-w-(--trigger-width) max-w-[calc(100vw-1rem)]")}>
        <ListBox<(typeof shown)[number]> className="max-h-80 overflow-y-auto p-1 outline-none">
          {(model) => (
            <ListBoxItem id={model.id} textValue={model.id} className={listLine}>
              <span className="min-w-0 flex-1 font-mono text-xs">{model.id}</span>
              {model.contextWindow !== undefined && (
                <span className="text-xs text-muted tabular-nums">{formats.number(model.contextWindow)}</span>
              )}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}
