import { X } from "lucide-react";
import type { ReactElement } from "react";
import {
  UNSTABLE_Toast as Toast,
  UNSTABLE_ToastContent as ToastContent,
  UNSTABLE_ToastQueue as ToastQueue,
  UNSTABLE_ToastRegion as ToastRegion,
} from "react-aria-components";
import { describeError } from "../api/describe-error.ts";
import { frameText } from "../i18n/frame.ts";
import { useText } from "../i18n/use-text.ts";
import { Button, IconButton } from "./button.tsx";
import { classes, floating } from "./classes.ts";

export interface ToastContents {
  readonly text: string;
  readonly tone?: "plain" | "bad";
  /** What the button of the toast does; `undo` shows "Undo". */
  readonly undo?: () => void;
}

const queue = new ToastQueue<ToastContents>({ maxVisibleToasts: 3 });

/** Says what has happened, with Undo where it can be taken back; gives what closes it. Toasts with an action stay longer. */
export function showToast(contents: ToastContents): () => void {
  const key = queue.add(contents, { timeout: contents.undo || contents.tone === "bad" ? 12_000 : 5000 });
  return () => queue.close(key);
}

/** Says why something that was asked for was not done. */
export function showProblem(error: unknown): void {
  showToast({ text: describeError(error).message, tone: "bad" });
}

/** Stands once in the frame. */
export function Toasts(): ReactElement {
  const text = useText(frameText);
  return (
    <ToastRegion
      queue={queue}
      aria-label={text.notifications}
      className="fixed z-50 flex w-max max-w-[calc(100vw-1rem)] flex-col gap-2 outline-none max-md:bottom-16 max-md:left-1/2 max-md:-translate-x-1/2 md:bottom-4 md:left-22"
    >
      {({ toast }) => (
        <Toast toast={toast} className={classes(floating, "flex items-center gap-3 py-1.5 pr-1.5 pl-3")}>
          <ToastContent className={classes("min-w-0 flex-1", toast.content.tone === "bad" && "text-bad")}>
            {toast.content.text}
          </ToastContent>
          {toast.content.undo && (
            <Button
              size="small"
              onPress={() => {
                toast.content.undo?.();
                queue.close(toast.key);
              }}
            >
              {text.undo}
            </Button>
          )}
          <IconButton label={text.dismiss} size="small" onPress={() => queue.close(toast.key)}>
            <X aria-hidden size={14} />
          </IconButton>
        </Toast>
      )}
    </ToastRegion>
  );
}
