import { type ReactElement, useState } from "react";
import { chatsText } from "../../i18n/chats.ts";
import { useText } from "../../i18n/use-text.ts";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { ErrorNotice } from "../../kit/notices.tsx";

export interface ConfirmDialogProps {
  readonly title: string;
  readonly body: string;
  /** What the button says that does it. */
  readonly confirm: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onConfirm: () => Promise<void>;
}

/** Asks before something that cannot be taken back; stays open, with the reason, when it could not be done. */
export function ConfirmDialog(props: ConfirmDialogProps): ReactElement {
  const { title, body, confirm, isOpen, onClose, onConfirm } = props;
  const text = useText(chatsText);
  const [error, setError] = useState<unknown>();
  const [isBusy, setIsBusy] = useState(false);
  const doIt = async (): Promise<void> => {
    setIsBusy(true);
    try {
      await onConfirm();
      setError(undefined);
      onClose();
    } catch (cause) {
      setError(cause);
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <Dialog
      role="alertdialog"
      title={title}
      isOpen={isOpen}
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>{text.cancel}</Button>
          <Button look="danger" isDisabled={isBusy} onPress={() => void doIt()}>
            {confirm}
          </Button>
        </>
      }
    >
      <p>{body}</p>
      {error !== undefined && (
        <div className="mt-3">
          <ErrorNotice error={error} />
        </div>
      )}
    </Dialog>
  );
}
