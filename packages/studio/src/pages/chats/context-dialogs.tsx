import { type ReactElement, useState } from "react";
import { useAction } from "../../api/use-api.ts";
import { chatsText } from "../../i18n/chats.ts";
import { useText } from "../../i18n/use-text.ts";
import { AskDialog } from "../../kit/dialog.tsx";
import { TextField } from "../../kit/fields.tsx";
import { useForm } from "../../kit/form.tsx";
import { showToast } from "../../kit/notices.tsx";

interface ContextDialogProps {
  readonly chat: string;
  readonly onClose: () => void;
}

/** Puts the active context away and begins another. */
export function NewContextDialog({ chat, onClose }: ContextDialogProps): ReactElement {
  const text = useText(chatsText);
  const begin = useAction("chats.new");
  const { form, field } = useForm({ title: "", note: "" });
  const confirm = async (): Promise<void> => {
    const [title, note] = [form.title.trim(), form.note.trim()];
    const body = { ...(title && { title }), ...(note && { note }) };
    const { archived } = await begin.mutateAsync({ params: { key: chat }, body });
    showToast({ text: archived ? text.putAway(archived.title) : text.nothingPutAway });
  };
  return (
    <AskDialog title={text.newContext} confirm={text.start} onClose={onClose} onConfirm={confirm}>
      <p className="text-muted">{text.newContextBody}</p>
      <TextField
        label={text.contextTitle}
        description={text.contextTitleHint}
        maxLength={200}
        autoFocus
        {...field("title")}
      />
      <TextField
        label={text.contextNote}
        description={text.contextNoteHint}
        maxLength={20_000}
        rows={3}
        {...field("note")}
      />
    </AskDialog>
  );
}

interface RenameContextProps extends ContextDialogProps {
  readonly contextId: string;
  readonly title: string;
}

export function RenameContextDialog({ chat, contextId, title: before, onClose }: RenameContextProps): ReactElement {
  const text = useText(chatsText);
  const rename = useAction("chats.rename");
  const [typed, setTyped] = useState(before);
  const title = typed.trim();
  return (
    <AskDialog
      title={text.renameTitle}
      confirm={text.save}
      isDisabled={title === ""}
      onClose={onClose}
      onConfirm={() => rename.mutateAsync({ params: { key: chat, contextId }, body: { title } })}
    >
      <TextField label={text.contextTitle} maxLength={200} autoFocus value={typed} onChange={setTyped} />
    </AskDialog>
  );
}
