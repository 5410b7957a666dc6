import { type ReactElement, useRef } from "react";
import { useApi } from "../../../api/use-api.ts";
import { describeError } from "../../../api/describe-error.ts";
import { formatSource, readHistoryFile } from "../../../document/history-source.ts";
import { useQueryState } from "../../../frame/navigation-state.ts";
import { composeText } from "../../../i18n/compose.ts";
import { useText } from "../../../i18n/use-text.ts";
import { Select } from "../../../kit/select.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { useEditor } from "../state/editor-state.ts";
import { useSource } from "../state/use-history.ts";

/** Which conversation the preview is built with: a sample, none, a chat, a session, or a file. */
export function HistorySelect(): ReactElement {
  const text = useText(composeText);
  const { preview } = useEditor();
  const { setQuery } = useQueryState();
  const source = useSource();
  const input = useRef<HTMLInputElement>(null);
  const chats = useApi("chats.list", {}).data?.chats ?? [];
  const sessions = useApi("sessions.list", {}).data?.sessions ?? [];
  const options = [
    { id: "sample", label: text.sample },
    { id: "none", label: text.none },
    ...chats.slice(0, 100).map(({ key }) => ({ id: `chat:${key}`, label: text.chatSource(key) })),
    ...sessions
      .filter(({ id }) => !id.startsWith("chat:"))
      .slice(0, 100)
      .map(({ id }) => ({ id: `session:${id}`, label: text.sessionSource(id) })),
    ...(source.kind === "file" ? [{ id: `file:${source.name}`, label: text.fileNamed(source.name) }] : []),
    { id: "file", label: text.fileSource },
  ];
  const read = async (file: File): Promise<void> => {
    try {
      const entries = readHistoryFile(file.name.replace(/\.[^.]*$/, ""), new Uint8Array(await file.arrayBuffer()));
      setQuery({ source: formatSource({ kind: "file", name: file.name }) });
      preview.setHistory({ entries });
    } catch (error) {
      const { message, hint } = describeError(error);
      showToast({ text: [message, hint].filter(Boolean).join(" "), tone: "bad" });
    }
  };
  return (
    <>
      <Select
        aria-label={text.history}
        options={options}
        value={formatSource(source) ?? "sample"}
        onChange={(id) => {
          if (id === "file") input.current?.click();
          else setQuery({ source: id === "sample" ? undefined : id });
        }}
        className="max-w-44"
      />
      <input
        ref={input}
        type="file"
        hidden
        aria-label={text.fileSource}
        accept=".jsonl,.json,application/json"
        onChange={(event) => {
          const [file] = event.target.files ?? [];
          if (file) void read(file);
          event.target.value = "";
        }}
      />
    </>
  );
}
