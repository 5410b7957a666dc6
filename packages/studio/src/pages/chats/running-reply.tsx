import { ArrowLeftRight, RotateCcw, Wrench } from "lucide-react";
import type { ReactElement } from "react";
import { offlineCode } from "galley/api/client";
import { Link } from "../../frame/location.tsx";
import { pathTo } from "../../frame/routes.ts";
import { chatsText } from "../../i18n/chats.ts";
import { useFormats, useText } from "../../i18n/use-text.ts";
import { Button } from "../../kit/button.tsx";
import { classes } from "../../kit/classes.ts";
import { ErrorNotice, useDeed } from "../../kit/notices.tsx";
import { MessageBody } from "../../message/message-body.tsx";
import { type ShownRun, dismissRun } from "./shown-runs.ts";
import { type RunBlock, type RunView, isUnderWay } from "./run-view.ts";
import { ChatBubble } from "./transcript.tsx";
import { type ChatTask, TaskCards, useChatTasks } from "./task-cards.tsx";

export interface RunningReplyProps {
  readonly chat: string;
  readonly run: ShownRun;
}

/** What was said and what the run does about it, as it happens; or how it ended, if it did not end well. */
export function RunningReply({ chat, run }: RunningReplyProps): ReactElement {
  const text = useText(chatsText);
  const { view, input } = run;
  const tasks = useChatTasks(chat).filter(({ turnId }) => turnId !== null && turnId === view.runId);
  const isRunning = isUnderWay(view);
  return (
    <>
      {input !== undefined && <ChatBubble message={{ role: "user", content: input }} />}
      <article
        data-run={view.status}
        className="flex flex-col gap-2 border-b border-l-4 border-b-line border-l-accent px-4 py-2.5"
      >
        <div className="flex min-h-7 flex-wrap items-center gap-x-3">
          <h3 className="font-semibold">{run.delivery === "refused" ? text.you : text.assistant}</h3>
          {view.model && <span className="font-mono text-xs text-muted">{view.model}</span>}
          <span role="status" className="text-xs text-muted">
            {isRunning && (view.status === "starting" ? text.starting : text.running)}
          </span>
          <BuildLinks view={view} />
        </div>
        {view.blocks.map((block, index) => (
          // Blocks only ever come at the end.
          // oxlint-disable-next-line react/no-array-index-key
          <RunBlockView key={index} block={block} tasks={tasks} />
        ))}
        {isRunning && <span aria-hidden className="h-3 w-1.5 animate-pulse rounded-xs bg-accent" />}
        {!isRunning && <Ending chat={chat} run={run} />}
      </article>
    </>
  );
}

/** One link for each call of the model: what it was sent is in Inspect. */
function BuildLinks({ view }: { readonly view: RunView }): ReactElement {
  const text = useText(chatsText);
  const { number } = useFormats();
  return (
    <span className="ml-auto flex flex-wrap gap-x-3 text-xs">
      {view.builds.map(({ session, n, inputTokens, digest }) => (
        <Link key={n} data-digest={digest} href={pathTo("call", { id: session, n: String(n) })}>
          {text.built(n, number(inputTokens))}
        </Link>
      ))}
    </span>
  );
}

function Ending({ chat, run }: RunningReplyProps): ReactElement | null {
  const text = useText(chatsText);
  const configure = useDeed("chats.settings");
  const { view, again } = run;
  const close = (
    <Button size="small" onPress={() => dismissRun(chat)}>
      {text.dismiss}
    </Button>
  );
  const retry = again && (
    <Button
      size="small"
      onPress={() => {
        dismissRun(chat);
        again();
      }}
    >
      {text.tryAgain}
    </Button>
  );
  if (view.status === "finished") return null;
  if (view.status === "aborted" || !view.error) {
    return (
      <div className="flex flex-wrap items-center gap-2 text-muted">
        <p className="mr-2">{endingOf(run, text)}</p>
        {retry}
        {close}
      </div>
    );
  }
  const isAboutModel = view.error.code.startsWith("Model");
  const useDemo = (): void =>
    configure.run({ params: { key: chat }, body: { model: "demo" } }, () => {
      dismissRun(chat);
      again?.();
    });
  const error = Object.assign(new Error(view.error.message), view.error);
  return (
    <>
      <p className="text-muted">{endingOf(run, text)}</p>
      <ErrorNotice
        error={error}
        actions={
          <>
            {retry}
            {isAboutModel && view.model !== "demo" && (
              <Button size="small" onPress={useDemo}>
                {text.useDemo}
              </Button>
            )}
            {close}
          </>
        }
      />
    </>
  );
}

/** How it ended, and of what was said only what the daemon has acknowledged. */
function endingOf({ view, delivery, box }: ShownRun, text: typeof chatsText.en): string {
  if (delivery === "refused") return box ? text.returned : text.refused;
  if (view.error?.code === offlineCode) return text.cutOff;
  const ending = view.status === "aborted" ? text.aborted : text.failed;
  return delivery === "kept" ? text.kept(ending) : ending;
}

interface RunStepsProps {
  readonly view: RunView;
  /** What the run has handed over. */
  readonly tasks: readonly ChatTask[];
}

function tasksOf(block: RunBlock, tasks: readonly ChatTask[]): readonly ChatTask[] {
  return block.kind === "tool" ? tasks.filter(({ callId }) => callId === block.id) : [];
}

/** What a finished run did besides talking; folded. */
export function RunSteps({ view, tasks }: RunStepsProps): ReactElement | null {
  const text = useText(chatsText);
  // What was handed over stands below the reply, as a card.
  const isCard = (block: RunBlock): boolean => block.kind === "tool" && tasksOf(block, tasks).length > 0;
  const steps = view.blocks.filter((block) => block.kind !== "text" && !isCard(block));
  const ending = (text.finishes as Readonly<Record<string, string>>)[view.finish ?? ""];
  return (
    <>
      {steps.length > 0 && (
        <details className="mb-1.5">
          <summary className="text-xs text-muted">{text.steps(steps.length)}</summary>
          <div className="mt-1.5 flex flex-col gap-2">
            {steps.map((block, index) => (
              // A finished run does not change any more.
              // oxlint-disable-next-line react/no-array-index-key
              <RunBlockView key={index} block={block} tasks={tasks} />
            ))}
          </div>
        </details>
      )}
      {ending && <p className="mb-1.5 text-xs text-warn">{ending}</p>}
    </>
  );
}

interface RunBlockViewProps {
  readonly block: RunBlock;
  readonly tasks: readonly ChatTask[];
}

function RunBlockView({ block, tasks }: RunBlockViewProps): ReactElement {
  const text = useText(chatsText);
  switch (block.kind) {
    case "text":
      return <MessageBody content={block.text} look="markdown" />;
    case "reasoning":
      return <MessageBody content={[{ type: "reasoning", text: block.text }]} />;
    case "tool":
      return <ToolStep block={block} tasks={tasksOf(block, tasks)} />;
    case "switched":
      return (
        <p data-switched={block.tool} className="flex items-center gap-2 rounded-md bg-warn-soft px-2 py-1 text-warn">
          <ArrowLeftRight aria-hidden size={14} className="shrink-0" />
          {text.switched(block.tool)}
        </p>
      );
    case "recovered":
      return (
        <p className="flex items-center gap-2 rounded-md bg-warn-soft px-2 py-1 text-warn">
          <RotateCcw aria-hidden size={14} className="shrink-0" />
          {text.recovered(block.reason)}
        </p>
      );
  }
}

interface ToolStepProps {
  readonly block: RunBlock & { readonly kind: "tool" };
  readonly tasks: readonly ChatTask[];
}

function ToolStep({ block, tasks }: ToolStepProps): ReactElement {
  const text = useText(chatsText);
  if (tasks.length > 0) {
    return (
      <div data-tool={block.name}>
        <TaskCards tasks={tasks} />
      </div>
    );
  }
  const isOpen = block.output === undefined;
  const label = block.isError ? text.failedTool : text.result;
  return (
    <div
      data-tool={block.name}
      className={classes(
        "min-w-0 rounded-md border border-l-4 border-line px-2 py-1.5",
        block.isError ? "border-l-bad" : "border-l-good",
      )}
    >
      <p className="flex items-center gap-2">
        <Wrench aria-hidden size={14} className="shrink-0 text-muted" />
        <span className="font-medium">{text.calls(block.name)}</span>
        {isOpen && <span className="text-xs text-muted">{text.atWork}</span>}
      </p>
      {block.input && block.input !== "{}" && (
        <pre className="font-mono text-xs wrap-anywhere whitespace-pre-wrap text-muted">{block.input}</pre>
      )}
      {block.output !== undefined && (
        <details>
          <summary className={classes("text-xs", block.isError ? "text-bad" : "text-muted")}>{label}</summary>
          <pre className="max-h-60 overflow-auto font-mono text-xs wrap-anywhere whitespace-pre-wrap">
            {block.output}
          </pre>
        </details>
      )}
    </div>
  );
}
