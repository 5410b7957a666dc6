import type { RouteReply } from "galley/api";
import { ChevronDown } from "lucide-react";
import { type ReactElement, useMemo, useState } from "react";
import { Button, ComboBox, Group, Input, Label, ListBox, ListBoxItem, Popover } from "react-aria-components";
import { useApi } from "../api/use-api.ts";
import { placeText } from "../i18n/place.ts";
import { useFormats, useText } from "../i18n/use-text.ts";
import { besideOnWide, classes, fieldBox, floating, labelText, listLine } from "../kit/classes.ts";

interface ModelBoxProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (model: string) => void;
  /** Where no model has to be named: what the empty box says. Emptied, it gives an empty name. */
  readonly byDefault?: string;
  /** Puts the label above the box, as in a form. */
  readonly isStacked?: boolean;
}

type ListedModel = RouteReply<"models.list">["models"][number];

/** How many are shown at once; typing finds the others. */
const maxShown = 60;

/** The models of the catalogue and of the servers, found by typing; a name that is in neither may be typed as well. */
export function ModelBox({ label, value, onChange, byDefault, isStacked = false }: ModelBoxProps): ReactElement {
  const text = useText(placeText);
  const { data } = useApi("models.list", {});
  // What is typed counts until a model is chosen, whatever answer comes meanwhile. What was chosen counts until the value
  // says so: the next choice may come sooner.
  const [last, setLast] = useState({ typed: value, chosen: value, before: value });
  const chosen = last.before === value ? last.chosen : value;
  const typed = last.before === value || last.typed !== last.chosen ? last.typed : value;
  const shown = useMemo(() => {
    const wanted = typed === chosen ? "" : typed.trim().toLowerCase();
    // `ollama/*` stands for all models of a server: no model is called so.
    const found = (data?.models ?? []).filter(({ id }) => !id.includes("*") && id.toLowerCase().includes(wanted));
    return [...found].sort((a, b) => Number(b.usable) - Number(a.usable)).slice(0, maxShown);
  }, [data, typed, chosen]);
  const choose = (model: string): void => {
    const next = model === "" && byDefault === undefined ? chosen : model;
    setLast({ typed: next, chosen: next, before: value });
    if (next !== chosen) onChange(next);
  };
  return (
    <ComboBox
      items={shown}
      inputValue={typed}
      onInputChange={(next) => setLast({ typed: next, chosen, before: value })}
      onSelectionChange={(key) => key !== null && choose(String(key))}
      menuTrigger="input"
      allowsCustomValue
      // The list opens while it is still being read, and fills in; otherwise who types sooner would not get one.
      allowsEmptyCollection
      onBlur={() => choose(typed.trim())}
      onKeyDown={(event) => {
        // With a model marked in the list, Enter chooses that one; it must not choose what was typed as well.
        const isMarked = event.currentTarget.hasAttribute("aria-activedescendant");
        if (event.key === "Enter" && !isMarked) choose(typed.trim());
      }}
      className={isStacked ? "flex min-w-0 flex-col gap-1" : classes("min-w-0", besideOnWide)}
    >
      <Label className={labelText}>{label}</Label>
      <Group
        className={classes(
          fieldBox,
          "flex h-8 max-w-full items-center focus-within:border-accent",
          isStacked ? "w-full" : "w-52 max-md:w-full",
        )}
      >
        <Input placeholder={byDefault} className="h-full min-w-0 flex-1 bg-transparent pl-3 outline-none" />
        <Button className="flex h-full items-center px-2 text-muted">
          <ChevronDown aria-hidden size={15} />
        </Button>
      </Group>
      <Popover className={classes(floating, "min-w-(--trigger-width) max-w-[calc(100vw-1rem)]")}>
        <ListBox<ListedModel>
          renderEmptyState={() => <p className="p-2 text-muted">{data ? text.noSuchModel : text.readingModels}</p>}
          className="max-h-80 overflow-y-auto p-1 outline-none"
        >
          {(model) => <ModelLine {...model} />}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}

function ModelLine({ id, usable, contextWindow }: ListedModel): ReactElement {
  const text = useText(placeText);
  const formats = useFormats();
  return (
    <ListBoxItem id={id} textValue={id} className={listLine}>
      <span className="min-w-0 flex-1 font-mono text-xs">{id}</span>
      {!usable && <span className="text-xs text-muted">{text.unusableModel}</span>}
      {contextWindow !== undefined && (
        <span className="text-xs text-muted tabular-nums">{formats.number(contextWindow)}</span>
      )}
    </ListBoxItem>
  );
}
