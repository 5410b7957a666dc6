import { X } from "lucide-react";
import type { ReactElement, ReactNode } from "react";
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import { frameText } from "../i18n/frame.ts";
import { useText } from "../i18n/use-text.ts";
import { IconButton } from "./button.tsx";
import { classes, floating } from "./classes.ts";

export interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** Buttons at the lower right; the one that does the thing comes last. */
  readonly actions?: ReactNode;
  readonly width?: "narrow" | "wide";
  /** "alertdialog" for a question that must be answered. */
  readonly role?: "dialog" | "alertdialog";
}

export function Dialog(props: DialogProps): ReactElement {
  const { title, isOpen, onClose, children, actions, width = "narrow", role = "dialog" } = props;
  const text = useText(frameText);
  return (
    <ModalOverlay
      isOpen={isOpen}
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
            <IconButton label={text.close} onPress={onClose}>
              <X aria-hidden size={16} />
            </IconButton>
          </div>
          <div className="min-h-0 overflow-y-auto p-4">{children}</div>
          {actions && <div className="flex flex-wrap justify-end gap-2 border-t border-line p-3">{actions}</div>}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}
