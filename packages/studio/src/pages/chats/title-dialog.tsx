import { type ReactElement, useState } from "react";
import { chatsText } from "../../i18n/chats.ts";
import { useText } from "../../i18n/use-text.ts";
import { AskDialog } from "../../kit/dialog.tsx";
import { TextField } from "../../kit/fields.tsx";

interface TitleDialogProps {
  readonly title: string;
  readonly body?: string;
  readonly hint?: string;
  readonly initial: string;
  readonly isRequired?: boolean;
  /** Asks for a note too. */
  readonly hasNote?: boolean;
  readonly confirm: string;
  readonly onClose: () => void;
  readonly onConfirm: (title: string, note: string) => Promise<void>;
}

/** Asks for the title of a context. */
export function TitleDialog(props: TitleDialogProps): ReactElement {
  const { body, hint, initial, isRequired = false, hasNote = false, onConfirm, ...rest } = props;
  const text = useText(chatsText);
  const [value, setValue] = useState(initial);
  const [note, setNote] = useState("");
  return (
    <AskDialog
      {...rest}
      isDisabled={isRequired && !value.trim()}
      onConfirm={() => onConfirm(value.trim(), note.trim())}
    >
      {body && <p className="text-muted">{body}</p>}
      <TextField
        label={text.contextTitle}
        description={hint}
        maxLength={200}
        // People open the dialog to write there.
        autoFocus
        value={value}
        onChange={setValue}
      />
      {hasNote && (
        <TextField
          label={text.contextNote}
          description={text.contextNoteHint}
          maxLength={20_000}
          rows={3}
          value={note}
          onChange={setNote}
        />
      )}
    </AskDialog>
  );
}
