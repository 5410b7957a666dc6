import type { ModelMessage } from "@galley/engine";
import { type ReactElement, useState } from "react";
import { useApi } from "../../api/use-api.ts";
import { handoverText } from "../../i18n/handover.ts";
import { useText } from "../../i18n/use-text.ts";
import { Button } from "../../kit/button.tsx";
import { ErrorNotice } from "../../kit/error-notice.tsx";
import { Spinner } from "../../kit/spinner.tsx";
import { messageText } from "../../message/message-blocks.ts";

/** The messages that the model of a task reads; asked for when somebody wants to see them. */
export function TaskBuildView({ taskId }: { readonly taskId: string }): ReactElement {
  const text = useText(handoverText);
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div className="flex flex-col items-start gap-2">
      <Button size="small" look="quiet" aria-expanded={isOpen} onPress={() => setIsOpen(!isOpen)}>
        {isOpen ? text.hideBuild : text.showBuild}
      </Button>
      {isOpen && <Messages taskId={taskId} />}
    </div>
  );
}

function Messages({ taskId }: { readonly taskId: string }): ReactElement {
  const text = useText(handoverText);
  const { data, error } = useApi("tasks.build", { params: { id: taskId } });
  if (error) return <ErrorNotice error={error} />;
  if (!data) return <Spinner />;
  const messages = ((data["messages"] ?? []) as readonly ModelMessage[]).map((message, index) => ({
    message,
    key: `${index} ${message.role}`,
  }));
  return (
    <ol aria-label={text.showBuild} className="w-full divide-y divide-line rounded-md border border-line bg-canvas">
      {messages.map(({ message, key }) => (
        <li key={key} className="px-3 py-2">
          <p className="font-mono text-xs font-semibold">{message.role}</p>
          <p className="font-mono text-xs leading-5 break-words whitespace-pre-wrap">{messageText(message.content)}</p>
        </li>
      ))}
      <li className="px-3 py-2 font-mono text-xs break-all text-muted">{data.digest}</li>
    </ol>
  );
}
