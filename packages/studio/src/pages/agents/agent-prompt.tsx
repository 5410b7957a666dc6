import { type ReactElement, useEffect, useRef, useState } from "react";
import { ApiError, type ErrorDetails } from "galley/api/client";
import { call, stream } from "../../api/call.ts";
import { agentsText } from "../../i18n/agents.ts";
import { useText } from "../../i18n/use-text.ts";
import { Button } from "../../kit/button.tsx";
import { ErrorNotice } from "../../kit/notices.tsx";
import { TextField } from "../../kit/fields.tsx";
import { type PromptLine, takeUpdate } from "./prompt-lines.ts";

/** A box that says something to a running agent, and what the agent does with it, as it comes. */
export function AgentPrompt({ name, isRunning }: { readonly name: string; readonly isRunning: boolean }): ReactElement {
  const [lines, setLines] = useState<readonly PromptLine[]>([]);
  const [error, setError] = useState<unknown>();
  const [isBusy, setIsBusy] = useState(false);
  const [typed, setTyped] = useState("");
  const listening = useRef<AbortController>(undefined);
  useEffect(() => () => listening.current?.abort(), []);

  const send = async (said: string): Promise<void> => {
    const controller = new AbortController();
    listening.current = controller;
    setError(undefined);
    setIsBusy(true);
    setTyped("");
    let hasAnswer = false;
    setLines((before) => [...before, { kind: "you", text: said }]);
    try {
      const input = { params: { name }, body: { text: said } };
      for await (const update of stream("agents.prompt", input, { signal: controller.signal })) {
        if (update.type === "failed") throw new ApiError(update["error"] as ErrorDetails, 0);
        hasAnswer = true;
        setLines((before) => takeUpdate(before, update));
      }
    } catch (failure) {
      if (controller.signal.aborted) return;
      setError(failure);
      if (hasAnswer) return;
      // Without a word from the agent nothing says that it was heard: the text goes back into the box.
      setLines((before) => before.slice(0, -1));
      setTyped(said);
    } finally {
      setIsBusy(false);
    }
  };

  return (
    <div className="flex flex-col gap-2">
      <Talk lines={lines} />
      {error !== undefined && <ErrorNotice error={error} />}
      <PromptForm
        isRunning={isRunning}
        isBusy={isBusy}
        typed={typed}
        onType={setTyped}
        onSend={(said) => void send(said)}
        onStop={() => void call("agents.cancel", { params: { name } }).catch(setError)}
      />
    </div>
  );
}

function Talk({ lines }: { readonly lines: readonly PromptLine[] }): ReactElement | null {
  const text = useText(agentsText);
  if (lines.length === 0) return null;
  const shown = lines.map((line, index) => ({ ...line, key: `${index} ${line.kind}` }));
  return (
    <ol aria-live="polite" className="flex max-h-96 flex-col gap-2 overflow-y-auto rounded-md border border-line p-3">
      {shown.map((line) => (
        <li key={line.key} className="break-words whitespace-pre-wrap">
          <span className="mr-2 font-mono text-xs text-muted">{line.kind === "you" ? text.you : line.kind}</span>
          {line.text}
        </li>
      ))}
    </ol>
  );
}

interface PromptFormProps {
  readonly isRunning: boolean;
  readonly isBusy: boolean;
  readonly typed: string;
  readonly onType: (text: string) => void;
  readonly onSend: (text: string) => void;
  readonly onStop: () => void;
}

function PromptForm({ isRunning, isBusy, typed, onType, onSend, onStop }: PromptFormProps): ReactElement {
  const text = useText(agentsText);
  const said = typed.trim();
  return (
    <form
      className="flex items-start gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (said !== "") onSend(said);
      }}
    >
      <TextField
        aria-label={text.prompt}
        className="flex-1"
        placeholder={isRunning ? text.promptHint : text.promptStopped}
        isDisabled={!isRunning || isBusy}
        value={typed}
        onChange={onType}
      />
      {isBusy ? (
        <Button onPress={onStop}>{text.cancel}</Button>
      ) : (
        <Button type="submit" look="primary" isDisabled={!isRunning || said === ""}>
          {text.send}
        </Button>
      )}
    </form>
  );
}
