import { Ellipsis } from "lucide-react";
import { type ReactElement, useState } from "react";
import type { ShownStep } from "../../document/shown-steps.ts";
import { composeText } from "../../i18n/compose.ts";
import { useText } from "../../i18n/use-text.ts";
import { Button, IconButton } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { Menu, type MenuAction } from "../../kit/menu.tsx";
import { NumberField } from "../../kit/number-field.tsx";
import { usePlace, useDocument } from "./editor-state.ts";
import type { StepActions } from "./use-step-actions.ts";

export interface StepMenuProps {
  readonly step: ShownStep;
  readonly count: number;
  readonly actions: StepActions;
}

/** Everything that dragging does, without dragging. */
export function StepMenu({ step, count, actions }: StepMenuProps): ReactElement {
  const text = useText(composeText);
  const [isMoving, setIsMoving] = useState(false);
  const { view } = usePlace();
  // In the simple view of an advanced preset nothing is added or deleted [C11].
  const isFixed = useDocument((state) => view === "simple" && state.preset.presetMessages === undefined);
  const { index } = step;
  const isFirst = index === 0;
  const isLast = index === count - 1;
  const moves: MenuAction[] = [
    { id: "up", label: text.moveUp, isDisabled: isFirst, onAction: () => actions.move(index, index - 1) },
    { id: "down", label: text.moveDown, isDisabled: isLast, onAction: () => actions.move(index, index + 1) },
    { id: "top", label: text.moveTop, isDisabled: isFirst, onAction: () => actions.move(index, 0) },
    { id: "bottom", label: text.moveBottom, isDisabled: isLast, onAction: () => actions.move(index, count - 1) },
    { id: "to", label: text.moveTo, isDisabled: count < 2, onAction: () => setIsMoving(true) },
  ];
  const others: MenuAction[] = [
    {
      id: "switch",
      label: step.enabled ? text.disable : text.enable,
      onAction: () => actions.setEnabled(index, !step.enabled),
    },
    { id: "duplicate", label: text.duplicate, isDisabled: isFixed, onAction: () => actions.duplicate(index) },
    { id: "delete", label: text.delete, isDisabled: isFixed, isDangerous: true, onAction: () => actions.remove(index) },
  ];
  return (
    <>
      <Menu
        label={text.stepActions(step.id)}
        trigger={
          <IconButton size="small" label={text.stepActions(step.id)}>
            <Ellipsis aria-hidden size={15} />
          </IconButton>
        }
        groups={[moves, others]}
      />
      {isMoving && <MoveDialog step={step} count={count} actions={actions} onClose={() => setIsMoving(false)} />}
    </>
  );
}

interface MoveDialogProps extends StepMenuProps {
  readonly onClose: () => void;
}

function MoveDialog({ step, count, actions, onClose }: MoveDialogProps): ReactElement {
  const text = useText(composeText);
  const [position, setPosition] = useState(step.index + 1);
  const move = (): void => {
    actions.move(step.index, position - 1);
    onClose();
  };
  return (
    <Dialog
      title={text.moveToTitle(step.id)}
      isOpen
      onClose={onClose}
      actions={
        <Button look="primary" onPress={move}>
          {text.move}
        </Button>
      }
    >
      <NumberField label={text.position} minValue={1} maxValue={count} value={position} onChange={setPosition} />
    </Dialog>
  );
}
