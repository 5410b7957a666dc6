import { type ReactElement, memo } from "react";
import { firstWords } from "../../../api/words.ts";
import { type LoreEntry, defaultOrder, entryName } from "../../../document/lore-entries.ts";
import { lorebookText } from "../../../i18n/lorebook.ts";
import { useFormats, useText } from "../../../i18n/use-text.ts";
import { classes } from "../../../kit/classes.ts";
import { Checkbox, Switch } from "../../../kit/fields.tsx";
import { Tag } from "../../../kit/tag.tsx";
import { useEditor } from "../state/editor-state.ts";
import { StrategyTag } from "../steps/strategy-tag.tsx";
import { EntryForm } from "./entry-form.tsx";
import type { EntryActions } from "./use-entries.ts";

/** One layout for the head and all rows. */
export const columnsLook =
  "grid items-center gap-x-2 px-3 grid-cols-[1.5rem_2.5rem_minmax(0,3fr)_minmax(0,3fr)_8.5rem_3.5rem_3.5rem] max-lg:grid-cols-[1.5rem_2.5rem_minmax(0,1fr)_6.5rem_3rem]";

export interface EntryRowProps {
  readonly entry: LoreEntry;
  readonly row: number;
  /** The one that the Tab key comes to. */
  readonly isActive: boolean;
  readonly isSelected: boolean;
  readonly isOpen: boolean;
  readonly onToggle: (key: string) => void;
  readonly onActive: (row: number) => void;
  readonly tokensOf: (entry: LoreEntry) => number;
  readonly actions: EntryActions;
}

export const EntryRow = memo(function EntryRow(props: EntryRowProps): ReactElement {
  const { entry, row, isActive, isSelected, isOpen, onActive, tokensOf, actions } = props;
  const formats = useFormats();
  const name = entryName(entry);
  return (
    <>
      <div
        role="row"
        aria-rowindex={row + 2}
        aria-selected={isSelected}
        tabIndex={isActive ? 0 : -1}
        data-row={row}
        data-entry={entry.id}
        onFocus={() => onActive(row)}
        className={classes(
          columnsLook,
          "h-12 border-b border-line focus-visible:outline-2 focus-visible:-outline-offset-2 focus-visible:outline-accent",
          isSelected && "bg-accent-soft",
        )}
      >
        <Controls {...props} name={name} />
        <NameCell entry={entry} name={name} isActive={isActive} isOpen={isOpen} />
        <div role="gridcell" className="min-w-0 max-lg:hidden">
          <Keys entry={entry} />
        </div>
        <div role="gridcell" className="min-w-0">
          <Position entry={entry} />
        </div>
        <div role="gridcell" className="text-right tabular-nums max-lg:hidden">
          {formats.number(entry.activation.order ?? defaultOrder)}
        </div>
        <div role="gridcell" className="text-right text-muted tabular-nums">
          {formats.number(tokensOf(entry))}
        </div>
      </div>
      {isOpen && (
        <div role="row">
          <div role="gridcell" aria-colspan={7}>
            <EntryForm entry={entry} actions={actions} isNew={entry.content === "" && entry.name === undefined} />
          </div>
        </div>
      )}
    </>
  );
});

function Controls(props: EntryRowProps & { readonly name: string }): ReactElement {
  const { entry, name, isActive, isSelected, onToggle, actions } = props;
  const text = useText(lorebookText);
  return (
    <>
      <div role="gridcell">
        <Checkbox
          aria-label={text.selectEntry(name)}
          isSelected={isSelected}
          onChange={() => onToggle(entry.key)}
          excludeFromTabOrder={!isActive}
        />
      </div>
      <div role="gridcell">
        <Switch
          aria-label={text.sendEntry(name)}
          isSelected={entry.enabled}
          onChange={(enabled) => actions.change(entry, { enabled }, `switch ${enabled}`)}
          excludeFromTabOrder={!isActive}
        />
      </div>
    </>
  );
}

interface NameCellProps {
  readonly entry: LoreEntry;
  readonly name: string;
  readonly isActive: boolean;
  readonly isOpen: boolean;
}

function NameCell({ entry, name, isActive, isOpen }: NameCellProps): ReactElement {
  const { view } = useEditor();
  return (
    <div role="gridcell" className="min-w-0">
      <button
        type="button"
        aria-expanded={isOpen}
        title={entry.id}
        tabIndex={isActive ? 0 : -1}
        onClick={() => view.setState({ openStep: isOpen ? undefined : entry.key })}
        className={classes(
          "block max-w-full truncate rounded text-left font-medium",
          !entry.enabled && "text-muted line-through",
        )}
      >
        {name}
      </button>
      <span className="block truncate text-xs text-muted max-lg:hidden">{firstWords(entry.content, 160)}</span>
      <span className="block truncate text-xs text-muted lg:hidden">
        <Keys entry={entry} />
      </span>
    </div>
  );
}

function Keys({ entry: { activation } }: { readonly entry: LoreEntry }): ReactElement {
  const text = useText(lorebookText);
  const { keys = [], secondaryKeys = [], constant, when } = activation;
  const all = [keys.join(", "), ...(secondaryKeys.length > 0 ? [`+ ${secondaryKeys.join(", ")}`] : [])].join(" ");
  if (constant) return <Tag tone="good">{text.always}</Tag>;
  if (keys.length === 0 && !when) return <span className="text-xs text-warn">{text.noKeys}</span>;
  return (
    <span className="block truncate font-mono text-xs" title={all}>
      {all}
    </span>
  );
}

function Position({ entry }: { readonly entry: LoreEntry }): ReactElement {
  const text = useText(lorebookText);
  const { activation, strategy } = entry;
  if (activation.outlet !== undefined) return <Tag>{text.outlet(activation.outlet)}</Tag>;
  if (activation.nowhere) return <span className="text-xs text-muted">{text.nowhere}</span>;
  if (strategy?.depth === undefined && strategy?.anchorTarget === undefined)
    return <span className="text-xs text-muted">{text.followsList}</span>;
  return <StrategyTag strategy={strategy} isInherited={false} />;
}
