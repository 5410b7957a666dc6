import { type ReactElement, useState } from "react";
import { Form } from "react-aria-components";
import { chatsText } from "../../i18n/chats.ts";
import { useText } from "../../i18n/use-text.ts";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { ErrorNotice } from "../../kit/notices.tsx";
import { TextField } from "../../kit/fields.tsx";

export interface TitleDialogProps {
  readonly title: string;
  readonly body?: string;
  readonly label: string;
  readonly hint?: string;
  readonly initial: string;
  readonly isRequired?: boolean;
  readonly confirm: string;
  readonly onClose: () => void;
  readonly onConfirm: (title: string) => Promise<void>;
}

/** Asks for a title. The caller mounts a new one each time that it opens. */
export function TitleDialog(props: TitleDialogProps): ReactElement {
  const { title, body, label, hint, initial, isRequired, confirm, onClose, onConfirm } = props;
  const text = useText(chatsText);
  const [value, setValue] = useState(initial);
  const [error, setError] = useState<unknown>();
  const submit = async (): Promise<void> => {
    try {
      await onConfirm(value.trim());
      onClose();
    } catch (cause) {
      setError(cause);
    }
  };
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <Form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        {body && <p className="text-muted">{body}</p>}
        <TextField
          label={label}
          {...(hint !== undefined && { description: hint })}
          maxLength={200}
          // The dialog has one field, and people open it to write there.
          // oxlint-disable-next-line jsx-a11y/no-autofocus
          autoFocus
          value={value}
          onChange={setValue}
        />
        {error !== undefined && <ErrorNotice error={error} />}
        <div className="flex justify-end gap-2">
          <Button onPress={onClose}>{text.cancel}</Button>
          <Button type="submit" look="primary" isDisabled={isRequired === true && !value.trim()}>
            {confirm}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
