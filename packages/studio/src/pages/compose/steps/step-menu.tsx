import { type ReactElement, memo, useState } from "react";
import { shownSteps } from "../../../document/shown-steps.ts";
import { composeText } from "../../../i18n/compose.ts";
import { useText } from "../../../i18n/use-text.ts";
import { Menu, type MenuAction } from "../../../kit/menu.tsx";
import { NumberField } from "../../../kit/fields.tsx";
import { useEditor, usePlace } from "../state/editor-state.ts";
import type { StepActions } from "./use-step-actions.ts";
import { AskDialog } from "../../../kit/dialog.tsx";

export interface StepMenuProps {
  /** What people call the step. */
  readonly id: string;
  readonly stepKey: string;
  readonly index: number;
  readonly count: number;
  readonly actions: StepActions;
}

/** Everything that dragging does, without dragging. */
export const StepMenu = memo(function StepMenu(props: StepMenuProps): ReactElement {
  const { id } = props;
  const text = useText(composeText);
  const [isMoving, setIsMoving] = useState(false);
  const groups = useMenuGroups(props, () => setIsMoving(true));
  return (
    <>
      <Menu label={text.stepActions(id)} groups={groups} />
      {isMoving && <MoveDialog {...props} onClose={() => setIsMoving(false)} />}
    </>
  );
});

/** What the document says is read when the menu opens, so that an edit does not redraw the menus of all steps. */
function useMenuGroups({ stepKey, index, count, actions }: StepMenuProps, onMoveTo: () => void): () => MenuAction[][] {
  const text = useText(composeText);
  const { document, view: shown } = useEditor();
  const { view, recipe } = usePlace();
  const isFirst = index === 0;
  const isLast = index === count - 1;
  const moves: MenuAction[] = [
    { label: text.moveUp, isDisabled: isFirst, onAction: () => actions.move(index, index - 1) },
    { label: text.moveDown, isDisabled: isLast, onAction: () => actions.move(index, index + 1) },
    { label: text.moveTop, isDisabled: isFirst, onAction: () => actions.move(index, 0) },
    { label: text.moveBottom, isDisabled: isLast, onAction: () => actions.move(index, count - 1) },
    { label: text.moveTo, isDisabled: count < 2, onAction: onMoveTo },
  ];
  return () => {
    const { preset } = document.store.getState();
    const isEnabled = shownSteps(preset, recipe)[index]?.enabled ?? false;
    // In the simple view of an advanced preset nothing is added or deleted [C11].
    const isFixed = view === "simple" && preset.presetMessages === undefined;
    const others: MenuAction[] = [
      { label: text.rename, onAction: () => shown.setState({ renamedStep: stepKey }) },
      { label: isEnabled ? text.disable : text.enable, onAction: () => actions.setEnabled(index, !isEnabled) },
      { label: text.duplicate, isDisabled: isFixed, onAction: () => actions.duplicate(index) },
      { label: text.delete, isDisabled: isFixed, isDangerous: true, onAction: () => actions.remove(index) },
    ];
    return [moves, others];
  };
}

interface MoveDialogProps extends StepMenuProps {
  readonly onClose: () => void;
}

function MoveDialog({ id, index, count, actions, onClose }: MoveDialogProps): ReactElement {
  const text = useText(composeText);
  const [position, setPosition] = useState(index + 1);
  return (
    <AskDialog
      title={text.moveToTitle(id)}
      confirm={text.move}
      onClose={onClose}
      onConfirm={() => actions.move(index, position - 1)}
    >
      <NumberField label={text.position} minValue={1} maxValue={count} value={position} onChange={setPosition} />
    </AskDialog>
  );
}
