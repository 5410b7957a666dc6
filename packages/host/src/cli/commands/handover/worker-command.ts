import { setTimeout as sleep } from "node:timers/promises";
import { GalleyError } from "@galley/engine";
import type { Command } from "commander";
import { messageOf } from "../../../disk/storage-error.ts";
import { onOneLine } from "../../../limits/short-text.ts";
import { pathIn } from "../../../disk/data-paths.ts";
import { rememberFolder, watchFolder } from "../../../disk/opened-folders.ts";
import { checkHandlers, handlersError } from "../../../handover/plan/handler-tools.ts";
import { Redactor } from "../../../secrets/redactor.ts";
import { addSecretsOf } from "../../../secrets/secret-values.ts";
import { maxLease } from "../../../store/database/clock-limits.ts";
import type { Task } from "../../../store/ports/task-store.ts";
import { foreignModel } from "../../../turn/call/resolve-model.ts";
import { sendToCommand } from "../../../turn/call/send-to-command.ts";
import { type TaskSetup, bareServices } from "../../../turn/run/execute-task.ts";
import { type WorkerEvent, startWorker } from "../../../turn/run/worker.ts";
import { ownToolNames } from "../../../turn/tools/own-tool-names.ts";
import {
  type ConfigFlags,
  type ConfiguredSession,
  addConfigFlags,
  storeEnvironment,
  withConfig,
} from "../../input/handover-flags.ts";
import { type Terminal, styleFor } from "../../terminal/terminal.ts";
import { untilSignal } from "../../terminal/until-signal.ts";
import { wholeNumberFrom, tokensFrom } from "../../input/options.ts";
import { taskTools } from "../../../turn/tools/tools-for.ts";
import { configuredTools } from "../../../turn/tools/own-tools.ts";

interface WorkerFlags extends ConfigFlags {
  readonly run?: string;
  readonly concurrency?: number;
  readonly lease?: number;
  readonly model?: string;
  readonly budget?: number;
  readonly untilIdle?: boolean;
}

const help = `
The command reads one JSON document from its standard input:
  {task, messages, tools, contract, stats}
and prints its answer as text. To call a tool it prints an assistant message:
  {"role": "assistant", "content": [{"type": "tool-call", "toolCallId": "1", "toolName": "fork_join", "input": {…}}]}
and is run again with the result. \`galley\` inside of it asks as the agent of the task.

Example:
  $ galley profile add echo --text "You repeat what you are told."
  $ galley delegate echo "Say hello."
  $ galley worker --run "jq -r '.messages[-1].content'" --until-idle`;

export function defineWorker(command: Command, terminal: Terminal): void {
  addConfigFlags(
    command
      .description(
        "Takes tasks of all projects from the queue and runs them with a command. Any number of workers may share a store.",
      )
      .option("--run <command>", "the command that does the work of a task")
      .option("-n, --concurrency <number>", "how many tasks run at once (default: 1)", wholeNumberFrom(1))
      .option(
        "--lease <seconds>",
        "replace a worker that is silent for this long (default: 30, 1 to 600)",
        wholeNumberFrom(1),
      )
      .option("-m, --model <id>", "model whose tokenizer counts, e.g. claude-sonnet-5-5")
      .option("-b, --budget <tokens>", "the most that a task may read (default: no limit)", tokensFrom(1))
      .option("--until-idle", "end when no task of the project is open"),
  )
    .addHelpText("after", help)
    .action(async (flags: WorkerFlags) => {
      if (flags.run === undefined || flags.run.trim() === "") {
        throw new GalleyError("BadUsage", "A worker needs --run.", { hint: "galley help worker" });
      }
      const command = flags.run;
      checkLease(flags);
      await withConfig(flags, (session) => runWorker(command, flags, session, terminal));
    });
}

const maxSeconds = maxLease / 1000;

function checkLease({ lease }: WorkerFlags): void {
  if (lease === undefined || (lease >= 1 && lease <= maxSeconds)) return;
  throw new GalleyError("BadUsage", `--lease takes 1 to ${maxSeconds} seconds, not ${lease}.`, {
    hint: "How long a task may take is said by its deadline; a worker that is at work renews its lease by itself.",
  });
}

async function runWorker(
  command: string,
  flags: WorkerFlags,
  { store, options, projectId, config }: ConfiguredSession,
  terminal: Terminal,
): Promise<void> {
  const tools = configuredTools(config);
  const taken = new Set([...ownToolNames, ...tools.map(({ name }) => name)]);
  const wrong = handlersError(await checkHandlers(options, projectId, config?.handlers ?? [], taken));
  if (wrong) throw wrong;
  const worker = await startWorker({
    ...options,
    setup: await commandSetup(command, flags, { store, options, config, tools, context: undefined }),
    concurrency: flags.concurrency,
    ...(flags.lease === undefined ? {} : { leaseMs: flags.lease * 1000 }),
    onEvent: (event) => {
      if (event.type === "task:progress") return;
      terminal[event.type === "worker:error" ? "err" : "out"](eventText(event, flags, terminal));
    },
  });
  if (!flags.json && terminal.isTerminal) terminal.err("Waiting for tasks; stop with Ctrl-C.\n");
  const watched = watchData(flags);
  try {
    await ending(flags, { store, projectId }, watched.lost);
  } finally {
    watched.end();
    await worker.stop();
  }
}

/** A worker whose data folder was moved or deleted ends: nothing that it does would be kept. */
function watchData(flags: WorkerFlags): { readonly lost: Promise<never>; end(): void } {
  const { GALLEY_DATA: data } = storeEnvironment(flags);
  if (data === undefined) return { lost: new Promise(() => undefined), end: () => undefined };
  const folder = rememberFolder(pathIn(data));
  const watched = watchFolder(folder);
  const thrown = watched.lost.then((error) => {
    throw error;
  });
  thrown.catch(() => undefined);
  return {
    lost: thrown,
    end() {
      watched.end();
      folder.forget();
    },
  };
}

/** Tasks with a command in the place of a model; how long it may take is said by the deadline of the task. */
async function commandSetup(
  command: string,
  flags: WorkerFlags,
  services: Parameters<typeof taskTools>[0],
): Promise<TaskSetup> {
  const env = storeEnvironment(flags);
  // What the command finds in its environment and must not say.
  const redactor = new Redactor();
  addSecretsOf({ ...process.env, ...env }, redactor);
  const model = await foreignModel(flags.model ?? "any");
  const config = { maxInputTokens: flags.budget ?? Number.MAX_SAFE_INTEGER };
  return {
    services: bareServices(redactor),
    limits: { maxMilliseconds: Number.MAX_SAFE_INTEGER },
    toolsFor: async (task, log) => (await taskTools(services, task, log)).tools,
    modelFor: async (task, contract) => {
      return { model, config, send: sendToCommand({ command, env, redact: redactor.redact }, task, contract) };
    },
  };
}

const idleCheckMs = 200;

/** Until a signal, or with `--until-idle` until every task has ended; throws what `lost` throws. */
async function ending(
  { untilIdle }: WorkerFlags,
  { store, projectId }: Pick<ConfiguredSession, "store" | "projectId">,
  lost: Promise<never>,
): Promise<void> {
  const { signalled, received, forget } = untilSignal();
  try {
    if (!untilIdle) await Promise.race([signalled, lost]);
    while (received() === undefined) {
      await Promise.race([signalled, lost, sleep(idleCheckMs)]);
      const open = await store.tasks.list(projectId, { status: ["queued", "running", "waiting"], limit: 1 });
      if (open.length === 0) return;
    }
  } finally {
    forget();
  }
}

function eventText(
  event: Exclude<WorkerEvent, { type: "task:progress" }>,
  { json }: WorkerFlags,
  terminal: Terminal,
): string {
  if (event.type === "worker:error") {
    const message = messageOf(event.error);
    return json ? `${JSON.stringify({ error: { message } })}\n` : `error: ${message}\n`;
  }
  const { type, task } = event;
  const { id, agentId, status, attempt, result, error } = task;
  if (json) return `${JSON.stringify({ event: type, taskId: id, agentId, status, attempt, result, error })}\n`;
  const style = styleFor(terminal);
  const colour = type !== "task:finished" ? "dim" : status === "succeeded" ? "green" : "red";
  const said =
    type === "task:finished" && result !== null ? (typeof result === "string" ? result : JSON.stringify(result)) : "";
  const why = error && type !== "task:started" ? error.message : "";
  const what = type === "task:finished" ? status : type.slice("task:".length);
  return `${style[colour](what.padEnd(9))} ${id} ${profileOf(task)} ${onOneLine(said || why, 80)}`.trimEnd() + "\n";
}

function profileOf({ details }: Task): string {
  const name = details["profileName"];
  return typeof name === "string" ? name : "";
}
