import { type FocusEvent, type ReactElement, memo, useMemo } from "react";
import { DropIndicator, GridList, type TextDropItem, useDragAndDrop } from "react-aria-components";
import { type ShownStep, shownSteps } from "../../document/shown-steps.ts";
import { composeText } from "../../i18n/compose.ts";
import { useText } from "../../i18n/use-text.ts";
import { stepType, templateType } from "./drag-types.ts";
import { useDocument, useIsInForce, usePlace } from "./editor-state.ts";
import { StepRow } from "./step-row.tsx";
import { type StepActions, useStepActions } from "./use-step-actions.ts";
import { stepIndexAt, useStepLink } from "./use-step-link.ts";

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

function useStepDrag(steps: readonly ShownStep[], actions: StepActions): ReturnType<typeof useDragAndDrop> {
  return useDragAndDrop({
    getItems: (keys) =>
      [...keys].map((key) => ({
        [stepType]: String(key),
        "text/plain": steps.find((step) => step.key === key)?.id ?? String(key),
      })),
    acceptedDragTypes: [templateType, stepType],
    getDropOperation: (_target, types) => (types.has(templateType) ? "copy" : "move"),
    onReorder({ keys, target }) {
      const [key] = keys;
      const from = steps.findIndex((step) => step.key === key);
      actions.move(from, landing(steps, target, from));
    },
    onInsert: ({ items, target }) => void insertDropped(items, landing(steps, target, -1), actions),
    onRootDrop: ({ items }) => void insertDropped(items, steps.length, actions),
    renderDropIndicator: (target) => (
      <DropIndicator
        target={target}
        className="relative z-20 -my-1 h-0.5 rounded-full data-[drop-target]:h-[3px] data-[drop-target]:bg-accent data-[drop-target]:shadow-float"
      />
    ),
  });
}

export const StepList = memo(function StepList({ empty }: { readonly empty: string }): ReactElement {
  const text = useText(composeText);
  const { recipe } = usePlace();
  const preset = useDocument((state) => state.preset);
  const steps = useMemo(() => shownSteps(preset, recipe), [preset, recipe]);
  const actions = useStepActions();
  const isInForce = useIsInForce();
  const { dragAndDropHooks } = useStepDrag(steps, actions);
  const link = useStepLink(isInForce);
  const onFocus = (event: FocusEvent, isOn: boolean): void => {
    const index = stepIndexAt(event.target);
    if (index !== undefined) link(index, isOn);
  };
  return (
    <div onFocus={(event) => onFocus(event, true)} onBlur={(event) => onFocus(event, false)}>
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
        {steps.map((step) => (
          <StepRow key={step.key} step={step} count={steps.length} actions={actions} isInForce={isInForce} />
        ))}
      </GridList>
    </div>
  );
});
