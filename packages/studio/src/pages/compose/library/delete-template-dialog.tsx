import type { ReactElement } from "react";
import { deleteTemplate, usesOfTemplate } from "../../../document/template-edits.ts";
import { advancedForm } from "../../../document/shown-steps.ts";
import { composeText } from "../../../i18n/compose.ts";
import { useText } from "../../../i18n/use-text.ts";
import { Button } from "../../../kit/button.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { useDocument, useEditor } from "../state/editor-state.ts";

export interface DeleteTemplateDialogProps {
  readonly id: string;
  readonly onClose: () => void;
}

/** Says what uses a template before it goes. */
export function DeleteTemplateDialog({ id, onClose }: DeleteTemplateDialogProps): ReactElement {
  const text = useText(composeText);
  const { document } = useEditor();
  const preset = useDocument((state) => state.preset);
  const { steps, injections } = usesOfTemplate(advancedForm(preset), id);
  const remove = (): void => {
    onClose();
    document.edit("delete template", (draft) => deleteTemplate(draft, id));
    showToast({ text: text.deleted(id), undo: () => void document.undo() });
  };
  return (
    <Dialog
      title={text.deleteTemplateTitle(id)}
      isOpen
      onClose={onClose}
      role="alertdialog"
      actions={
        <>
          <Button onPress={onClose}>{text.cancel}</Button>
          <Button look="danger" onPress={remove}>
            {text.delete}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-2">
        {steps.length === 0 && injections.length === 0 && <p>{text.deleteTemplateUnused}</p>}
        {steps.length > 0 && (
          <>
            <p>{text.deleteTemplateSteps}</p>
            <ul className="list-disc pl-5 font-mono text-xs">
              {steps.map(({ recipe, number }) => (
                <li key={`${recipe} ${number}`}>{text.usedBy(recipe, number)}</li>
              ))}
            </ul>
          </>
        )}
        {injections.length > 0 && (
          <>
            <p>{text.deleteTemplateAnchors}</p>
            <ul className="list-disc pl-5 font-mono text-xs">
              {injections.map((other) => (
                <li key={other}>{other}</li>
              ))}
            </ul>
          </>
        )}
      </div>
    </Dialog>
  );
}
