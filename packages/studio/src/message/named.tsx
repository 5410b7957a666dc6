import type { ReactElement } from "react";
import { CopyButton } from "./copy-button.tsx";
import { classes } from "../kit/classes.ts";
import { messageTexts } from "../i18n/message.ts";
import { useText } from "../i18n/use-text.ts";

interface NamedProps {
  readonly id: string;
  readonly name: string;
  /** Cut off where there is no room for all of it. */
  readonly isOneLine?: boolean;
}

/** Something by its name; its id, for programs, is one press away. */
export function Named({ id, name, isOneLine = false }: NamedProps): ReactElement {
  const text = useText(messageTexts);
  return (
    <span className={classes("inline-flex min-w-0 items-center gap-1", isOneLine && "xl:max-w-60 xl:shrink-0")}>
      <span title={id} className={isOneLine ? "min-w-0 truncate" : "min-w-0 wrap-anywhere"}>
        {name}
      </span>
      <CopyButton text={id} label={text.copyId(id)} />
    </span>
  );
}
