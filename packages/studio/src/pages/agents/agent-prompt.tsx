import { type ReactElement, useEffect, useRef, useState } from "react";
import { ApiError, type ErrorDetails } from "../../api/api-error.ts";
import { stream } from "../../api/call.ts";
import { agentsText } from "../../i18n/agents.ts";
import { useText } from "../../i18n/use-text.ts";
import { Button } from "../../kit/button.tsx";
import { ErrorNotice } from "../../kit/error-notice.tsx";
import { TextField } from "../../kit/text-field.tsx";
import { type PromptLine, takeUpdate } from "./prompt-lines.ts";

export interface AgentPromptProps {
  readonly name: string;
  readonly isRunning: boolean;
}

/** A box that says something to a running agent, and what the agent does with it, as it comes. */
export function AgentPrompt({ name, isRunning }: AgentPromptProps): ReactElement {
  const text = useText(agentsText);
  const [typed, setTyped] = useState("");
  const [lines, setLines] = useState<readonly PromptLine[]>([]);
  const [error, setError] = useState<unknown>();
  const [isBusy, setIsBusy] = useState(false);
  const listening = useRef<AbortController>(undefined);
  useEffect(() => () => listening.current?.abort(), []);

  const send = async (): Promise<void> => {
    const said = typed.trim();
    if (said === "") return;
    const controller = new AbortController();
    listening.current = controller;
    setTyped("");
    setError(undefined);
    setIsBusy(true);
    setLines((before) => [...before, { kind: "you", text: said }]);
    try {
      const input = { params: { name }, body: { text: said } };
      for await (const update of stream("agents.prompt", input, { signal: controller.signal })) {
        if (update.type === "failed") throw new ApiError(update["error"] as ErrorDetails, 0);
        setLines((before) => takeUpdate(before, update));
      }
    } catch (failure) {
      if (!controller.signal.aborted) setError(failure);
    } finally {
      setIsBusy(false);
    }
  };

  return (
    <div className="flex flex-col gap-2">
      {lines.length > 0 && (
        <ol
          aria-live="polite"
          className="flex max-h-96 flex-col gap-2 overflow-y-auto rounded-md border border-line p-3"
        >
          {lines.map((line, index) => (
            <li key={index} className="break-words whitespace-pre-wrap">
              <span className="mr-2 font-mono text-xs text-muted">{line.kind === "you" ? text.you : line.kind}</span>
              {line.text}
            </li>
          ))}
        </ol>
      )}
      {error !== undefined && <ErrorNotice error={error} />}
      <form
        className="flex items-start gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <TextField
          aria-label={text.prompt}
          className="flex-1"
          placeholder={isRunning ? text.promptHint : text.promptStopped}
          isDisabled={!isRunning || isBusy}
          value={typed}
          onChange={setTyped}
        />
        {isBusy ? (
          <Button onPress={() => listening.current?.abort()}>{text.cancel}</Button>
        ) : (
          <Button type="submit" look="primary" isDisabled={!isRunning || typed.trim() === ""}>
            {text.send}
          </Button>
        )}
      </form>
    </div>
  );
}
