import { type FocusEvent, type ReactElement, memo, useMemo } from "react";
import { DropIndicator, GridList, type TextDropItem, useDragAndDrop } from "react-aria-components";
import { useShallow } from "zustand/react/shallow";
import type { EditPlace } from "../../../document/document-draft.ts";
import type { PresetDocument } from "../../../document/preset-document.ts";
import { loreEntries } from "../../../document/lore-entries.ts";
import { type ShownStep, shownSteps } from "../../../document/shown-steps.ts";
import { useQueryState } from "../../../frame/location.tsx";
import { composeText } from "../../../i18n/compose.ts";
import { useFormats, useText } from "../../../i18n/use-text.ts";
import { Button } from "../../../kit/button.tsx";
import { type StepActions, stepIndexAt, stepType, templateType, useStepActions } from "./use-step-actions.ts";
import { useDocument, useEditor, useIsInForce, useLink, usePlace } from "../state/editor-state.ts";
import { StepRow } from "./step-row.tsx";

/** The index in the list without the dragged step that a drop before or after a step means. */
function landing(steps: readonly ShownStep[], target: { key: unknown; dropPosition: string }, from: number): number {
  const at = steps.findIndex(({ key }) => key === target.key) + (target.dropPosition === "after" ? 1 : 0);
  return from >= 0 && at > from ? at - 1 : at;
}

/** Inserts templates where they were dropped, in the order in which they were dragged. */
async function insertDropped(items: readonly unknown[], at: number, actions: StepActions): Promise<void> {
  const texts = items as readonly TextDropItem[];
  const ids = await Promise.all(texts.filter((item) => item.kind === "text").map((item) => item.getText(templateType)));
  for (const [offset, id] of ids.entries()) actions.addTemplate(id, at + offset);
}

function useStepDrag(
  document: PresetDocument,
  { recipe }: EditPlace,
  actions: StepActions,
): ReturnType<typeof useDragAndDrop> {
  const current = (): readonly ShownStep[] => shownSteps(document.store.getState().preset, recipe);
  return useDragAndDrop({
    getItems: (keys) =>
      [...keys].map((key) => ({
        [stepType]: String(key),
        "text/plain": current().find((step) => step.key === key)?.id ?? String(key),
      })),
    acceptedDragTypes: [templateType, stepType],
    getDropOperation: (_target, types) => (types.has(templateType) ? "copy" : "move"),
    onReorder({ keys, target }) {
      const [key] = keys;
      const from = current().findIndex((step) => step.key === key);
      actions.move(from, landing(current(), target, from));
    },
    onInsert: ({ items, target }) => void insertDropped(items, landing(current(), target, -1), actions),
    onRootDrop: ({ items }) => void insertDropped(items, current().length, actions),
    renderDropIndicator: (target) => (
      <DropIndicator
        target={target}
        className="relative z-20 -my-1 h-0.5 rounded-full data-[drop-target]:h-[3px] data-[drop-target]:bg-accent data-[drop-target]:shadow-float"
      />
    ),
  });
}

interface StepName {
  readonly key: string;
  readonly id: string;
  readonly index: number;
}

/** More entries of lorebooks than this are left to the lorebook view, which shows thousands; this list could not. */
const maxEntries = 30;

/** Key, id and index of the steps that are listed; the same list until steps are added, moved or deleted. */
function useStepNames(recipe: number): readonly StepName[] {
  const flat = useDocument(
    useShallow((state) => {
      const entries = loreEntries(state.preset, recipe);
      const folded: ReadonlySet<ShownStep> = new Set(entries.length > maxEntries ? entries : []);
      const listed = shownSteps(state.preset, recipe).filter((step) => !folded.has(step));
      return listed.flatMap(({ key, id, index }): (string | number)[] => [key, id, index]);
    }),
  );
  return useMemo(() => {
    const names: StepName[] = [];
    for (let at = 0; at < flat.length; at += 3)
      names.push({ key: String(flat[at]), id: String(flat[at + 1]), index: Number(flat[at + 2]) });
    return names;
  }, [flat]);
}

/** Says which steps are not listed here, and leads to them. */
function FoldedEntries(): ReactElement | null {
  const text = useText(composeText);
  const formats = useFormats();
  const { setQuery } = useQueryState();
  const { recipe } = usePlace();
  const count = useDocument((state) => loreEntries(state.preset, recipe).length);
  if (count <= maxEntries) return null;
  return (
    <div className="mb-2 flex flex-wrap items-center gap-2 rounded-md border border-line bg-sunken px-3 py-2">
      <span className="min-w-0 flex-1">{text.entriesFolded(formats.number(count))}</span>
      <Button size="small" onPress={() => setQuery({ view: "lorebook", recipe: undefined, pane: undefined })}>
        {text.openLorebook}
      </Button>
    </div>
  );
}

/**
 * The list knows its steps only by name: what a step says is read by its own line. The list of the kit redraws
 * every line as soon as one of its items changes: with 65 steps, every letter typed would lag.
 */
export const StepList = memo(function StepList({ empty }: { readonly empty: string }): ReactElement {
  const text = useText(composeText);
  const { document } = useEditor();
  const place = usePlace();
  const names = useStepNames(place.recipe);
  const count = useDocument((state) => shownSteps(state.preset, place.recipe).length);
  const actions = useStepActions();
  const isInForce = useIsInForce();
  const { dragAndDropHooks } = useStepDrag(document, place, actions);
  const link = useLink("step");
  const onFocus = (event: FocusEvent, isOn: boolean): void => {
    const index = stepIndexAt(event.target);
    if (index !== undefined && isInForce) link(index, isOn);
  };
  return (
    <div onFocus={(event) => onFocus(event, true)} onBlur={(event) => onFocus(event, false)}>
      <FoldedEntries />
      <GridList
        aria-label={text.steps}
        dragAndDropHooks={dragAndDropHooks}
        keyboardNavigationBehavior="tab"
        disallowTypeAhead
        className="flex min-h-24 flex-col gap-2 rounded-md outline-none data-[drop-target]:bg-accent-soft"
        renderEmptyState={() => (
          <div className="rounded-md border border-dashed border-edge px-4 py-8 text-center text-muted">{empty}</div>
        )}
      >
        {names.map(({ key, id, index }) => (
          <StepRow
            key={key}
            stepKey={key}
            id={id}
            index={index}
            count={count}
            actions={actions}
            isInForce={isInForce}
          />
        ))}
      </GridList>
    </div>
  );
});
