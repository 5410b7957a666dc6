import type { ReactElement } from "react";
import { CopyButton } from "./copy-button.tsx";
import { messageTexts } from "../i18n/message.ts";
import { useText } from "../i18n/use-text.ts";

interface NamedProps {
  readonly id: string;
  readonly name: string;
}

/** Something by its name; its id, for programs, is one press away. */
export function Named({ id, name }: NamedProps): ReactElement {
  const text = useText(messageTexts);
  return (
    <span className="inline-flex min-w-0 items-center gap-1">
      <span title={id} className="min-w-0 wrap-anywhere">
        {name}
      </span>
      <CopyButton text={id} label={text.copyId(id)} />
    </span>
  );
}
