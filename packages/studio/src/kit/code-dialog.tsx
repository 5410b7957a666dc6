import { type ReactElement, useState } from "react";
import { describeError } from "../api/describe-error.ts";
import { frameText } from "../i18n/frame.ts";
import { useText } from "../i18n/use-text.ts";
import { AskDialog, type AskDialogProps } from "./dialog.tsx";
import { TextField } from "./fields.tsx";

interface CodeDialogProps extends Omit<AskDialogProps, "onConfirm"> {
  /** Is given the code once it was asked for. */
  readonly onConfirm: (given: { readonly code?: string }) => Promise<unknown>;
}

/** Asks for something that a page must not decide alone: where the daemon wants the code that the terminal prints, for that too. */
export function CodeDialog({ onConfirm, isDisabled = false, children, ...rest }: CodeDialogProps): ReactElement {
  const text = useText(frameText);
  const [typed, setTyped] = useState<string>();
  const code = typed?.trim();
  const submit = async (): Promise<void> => {
    try {
      await onConfirm(code ? { code } : {});
    } catch (error) {
      if (describeError(error).path === "code") setTyped((before) => before ?? "");
      throw error;
    }
  };
  return (
    <AskDialog {...rest} isDisabled={isDisabled || code === ""} onConfirm={submit}>
      {children}
      {typed !== undefined && (
        <TextField
          label={text.code}
          description={text.codeNote}
          autoFocus
          value={typed}
          onChange={setTyped}
          inputMode="numeric"
          autoComplete="one-time-code"
        />
      )}
    </AskDialog>
  );
}
