import { useQueryClient } from "@tanstack/react-query";
import type { RouteReply } from "galley/api";
import { type ReactElement, type RefObject, useEffect, useRef, useState } from "react";
import { ApiError, type ErrorDetails } from "galley/api/client";
import { call, stream } from "../../api/call.ts";
import { agentsText } from "../../i18n/agents.ts";
import { useText } from "../../i18n/use-text.ts";
import { Button } from "../../kit/button.tsx";
import { scrolls } from "../../kit/classes.ts";
import { ErrorNotice } from "../../kit/notices.tsx";
import { TextField } from "../../kit/fields.tsx";
import { Form } from "../../kit/form.tsx";
import { type ChatPages, PagesHead, useChatPages, useStickToEnd } from "../chats/chat-pages.tsx";
import { ChatBubble } from "../chats/transcript.tsx";
import { type PromptLine, takeUpdate } from "./prompt-lines.ts";

interface AgentPromptProps {
  readonly name: string;
  readonly isRunning: boolean;
  /** What it is at work on, where that was said on another page or before a reload. */
  readonly asked: string | undefined;
}

type Update = RouteReply<"agents.prompt">;

/** What was said, what is being said, and a box that says something to a running agent. */
export function AgentPrompt({ name, isRunning, asked }: AgentPromptProps): ReactElement {
  const client = useQueryClient();
  const key = `agent:${name}`;
  const pages = useChatPages("chats.active", key);
  const [lines, setLines] = useState<readonly PromptLine[]>([]);
  const [error, setError] = useState<unknown>();
  const [isBusy, setIsBusy] = useState(false);
  const [typed, setTyped] = useState("");
  const { scroll } = useStickToEnd(pages.messages.at(-1)?.id, lines);
  const listening = useRef<AbortController>(undefined);
  useEffect(() => () => listening.current?.abort(), []);

  const listen = async (said: string, updates: (signal: AbortSignal) => AsyncIterable<Update>): Promise<void> => {
    const controller = new AbortController();
    listening.current = controller;
    setError(undefined);
    setIsBusy(true);
    let hasAnswer = false;
    setLines([{ kind: "you", text: said }]);
    try {
      for await (const update of updates(controller.signal)) {
        if (update.type === "failed") throw new ApiError(update["error"] as ErrorDetails, 0);
        hasAnswer = true;
        setLines((before) => takeUpdate(before, update));
      }
      // By now it is in the agent's chat: there it stays.
      await client.invalidateQueries({ queryKey: ["chats.active", { key }] });
      if (!controller.signal.aborted) setLines([]);
    } catch (failure) {
      if (controller.signal.aborted) return;
      setError(failure);
      if (hasAnswer) return;
      // Without a word from the agent nothing says that it was heard: the text goes back into the box.
      setLines([]);
      setTyped(said);
    } finally {
      if (listening.current === controller) listening.current = undefined;
      setIsBusy(false);
    }
  };

  useEffect(() => {
    if (asked === undefined || listening.current) return;
    void listen(asked, (signal) => stream("agents.follow", { params: { name } }, { signal }));
    // oxlint-disable-next-line react/exhaustive-deps -- once for each prompt that somebody else has begun
  }, [asked]);

  const send = (said: string): void => {
    setTyped("");
    void listen(said, (signal) => stream("agents.prompt", { params: { name }, body: { text: said } }, { signal }));
  };

  return (
    <div className="flex flex-col gap-2">
      <Talk pages={pages} lines={lines} scroll={scroll} />
      {error !== undefined && <ErrorNotice error={error} />}
      <PromptForm
        isRunning={isRunning}
        isBusy={isBusy}
        typed={typed}
        onType={setTyped}
        onSend={send}
        onStop={() => void call("agents.cancel", { params: { name } }).catch(setError)}
      />
    </div>
  );
}

interface TalkProps {
  readonly pages: ChatPages;
  readonly lines: readonly PromptLine[];
  readonly scroll: RefObject<HTMLDivElement | null>;
}

/** The active context, then the exchange that is under way. */
function Talk({ pages, lines, scroll }: TalkProps): ReactElement {
  const text = useText(agentsText);
  const shown = lines.map((line, index) => ({ ...line, key: `${index} ${line.kind}` }));
  const isEmpty = !pages.isLoading && pages.messages.length === 0 && lines.length === 0;
  return (
    <div
      ref={scroll}
      role="region"
      aria-label={text.conversation}
      {...scrolls}
      className="max-h-128 overflow-y-auto rounded-md border border-line"
    >
      <PagesHead pages={pages} />
      {isEmpty && <p className="p-3 text-muted">{text.nothingSaid}</p>}
      {pages.messages.map((message, index) => (
        // A message's id is made of what it says; the same one may stand twice.
        // oxlint-disable-next-line react/no-array-index-key
        <ChatBubble key={`${message.id} ${index}`} message={message} />
      ))}
      <ol aria-live="polite" className={lines.length === 0 ? "" : "flex flex-col gap-2 p-3"}>
        {shown.map((line) => (
          <li key={line.key} className="break-words whitespace-pre-wrap">
            <span className="mr-2 font-mono text-xs text-muted">{line.kind === "you" ? text.you : line.kind}</span>
            {line.text}
          </li>
        ))}
      </ol>
    </div>
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
    <Form className="flex items-start gap-2" onSubmit={() => said !== "" && onSend(said)}>
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
    </Form>
  );
}
