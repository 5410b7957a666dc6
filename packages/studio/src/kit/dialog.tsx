import { X } from "lucide-react";
import { type ReactElement, type ReactNode, useId, useState } from "react";
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import { frameText } from "../i18n/frame.ts";
import { useText } from "../i18n/use-text.ts";
import { Button, IconButton } from "./button.tsx";
import { classes, floating } from "./classes.ts";
import { Form } from "./form.tsx";
import { ErrorNotice } from "./notices.tsx";

export interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** Buttons at the lower right; the one that does the thing comes last. */
  readonly actions?: ReactNode;
  readonly width?: "narrow" | "wide";
  /** "alertdialog" for a question that must be answered. */
  readonly role?: "dialog" | "alertdialog";
}

/** It is open for as long as it is there. */
export function Dialog(props: DialogProps): ReactElement {
  const { title, onClose, children, actions, width = "narrow", role = "dialog" } = props;
  const text = useText(frameText);
  return (
    <ModalOverlay
      isOpen
      onOpenChange={(open) => !open && onClose()}
      isDismissable={role === "dialog"}
      className="fixed inset-0 z-40 flex items-center justify-center bg-[rgb(0_0_0/45%)] p-3"
    >
      <Modal className={classes(floating, "flex max-h-full w-full", width === "wide" ? "max-w-3xl" : "max-w-md")}>
        <AriaDialog role={role} className="flex min-h-0 w-full flex-col outline-none">
          <div className="flex items-center gap-2 border-b border-line py-2 pr-2 pl-4">
            <Heading slot="title" className="flex-1 text-base font-semibold">
              {title}
            </Heading>
            <IconButton label={text.close} icon={X} onPress={onClose} />
          </div>
          <div className="min-h-0 overflow-y-auto p-4">{children}</div>
          {actions && <div className="flex flex-wrap justify-end gap-2 border-t border-line p-3">{actions}</div>}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

export interface AskDialogProps extends Pick<DialogProps, "title" | "onClose" | "width" | "children"> {
  /** What the button says that does it. */
  readonly confirm: string;
  /** It takes something away: a question that must be answered. */
  readonly isDangerous?: boolean;
  readonly isDisabled?: boolean;
  readonly onConfirm: () => unknown;
}

/**
 * Asks before something is done, or for what is needed to do it; stays open, with the reason, when it could not be done.
 * The caller mounts a new one each time that it asks.
 */
export function AskDialog(props: AskDialogProps): ReactElement {
  const { confirm, isDangerous = false, isDisabled = false, onConfirm, onClose, children, ...rest } = props;
  const text = useText(frameText);
  const form = useId();
  const [error, setError] = useState<unknown>();
  const [isBusy, setIsBusy] = useState(false);
  const submit = async (): Promise<void> => {
    setIsBusy(true);
    try {
      await onConfirm();
      onClose();
    } catch (cause) {
      setError(cause);
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <Dialog
      {...rest}
      onClose={onClose}
      role={isDangerous ? "alertdialog" : "dialog"}
      actions={
        <>
          <Button onPress={onClose}>{text.cancel}</Button>
          <Button type="submit" form={form} look={isDangerous ? "danger" : "primary"} isDisabled={isDisabled || isBusy}>
            {confirm}
          </Button>
        </>
      }
    >
      <Form id={form} className="flex flex-col gap-3" onSubmit={() => void submit()}>
        {children}
        {error !== undefined && <ErrorNotice error={error} />}
      </Form>
    </Dialog>
  );
}

interface AskProps extends Omit<AskDialogProps, "onClose"> {
  /** What one presses, such as a button: it asks. */
  readonly by: (ask: () => void) => ReactElement;
}

/** Something that is asked about before it is done, and what it is begun with. */
export function Ask({ by, ...rest }: AskProps): ReactElement {
  const [isAsking, setIsAsking] = useState(false);
  return (
    <>
      {by(() => setIsAsking(true))}
      {isAsking && <AskDialog {...rest} onClose={() => setIsAsking(false)} />}
    </>
  );
}
