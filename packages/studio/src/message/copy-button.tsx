import { Copy } from "lucide-react";
import type { ReactElement } from "react";
import { messageTexts } from "../i18n/message.ts";
import { useText } from "../i18n/use-text.ts";
import { Button, IconButton } from "../kit/button.tsx";
import { showToast } from "../kit/notices.tsx";

export interface CopyButtonProps {
  /** Exactly what is copied; a function is called only then. */
  readonly text: string | (() => string);
  /** What the button says; without one it shows a picture only, and `label` is its name. */
  readonly children?: string;
  readonly label?: string;
  readonly size?: "normal" | "small";
}

export function CopyButton({ text, children, label, size = "small" }: CopyButtonProps): ReactElement {
  const words = useText(messageTexts);
  const copy = (): void => {
    void navigator.clipboard.writeText(typeof text === "string" ? text : text()).then(
      () => showToast({ text: words.copied }),
      () => showToast({ text: words.copyFailed, tone: "bad" }),
    );
  };
  if (children === undefined) return <IconButton label={label ?? words.copy} size="small" icon={Copy} onPress={copy} />;
  return (
    <Button size={size} icon={Copy} aria-label={label} onPress={copy}>
      {children}
    </Button>
  );
}
