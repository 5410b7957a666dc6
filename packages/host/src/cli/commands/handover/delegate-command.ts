import { GalleyError, type JsonObject, type JsonValue, parseJson } from "@galley/engine";
import type { Command } from "commander";
import { onOneLine } from "../../../limits/short-text.ts";
import { chatKeyOf } from "../../../api/place-id.ts";
import { type GivenContext, giveTask } from "../../../handover/plan/give-task.ts";
import { forkJoin } from "../../../handover/plan/fork-join.ts";
import { openHandover } from "../../../handover/options/handover-options.ts";
import { type JoinResult, join } from "../../../handover/plan/join.ts";
import { type Delegated, type ForkResult, awaitTask } from "../../../handover/plan/results.ts";
import type { Task } from "../../../store/ports/task-store.ts";
import { readText } from "../../input/files.ts";
import { type ConfigFlags, addConfigFlags, readField, withConfig } from "../../input/handover-flags.ts";
import { printResult } from "../../terminal/report.ts";
import { elastic, renderTable } from "../../terminal/table.ts";
import { type Terminal, styleFor } from "../../terminal/terminal.ts";
import { splitPair, tokensFrom, usualDataFolder, wholeNumberFrom } from "../../input/options.ts";
import { wholePlace, withKnownChat } from "../../input/place-names.ts";
import type { Chat } from "../../../chat/chat.ts";
import type { Store } from "../../../store/ports/ports.ts";

interface DelegateFlags extends ConfigFlags {
  readonly box?: readonly string[];
  readonly place?: string;
  readonly model?: string;
  readonly reuse?: boolean;
  readonly clone?: boolean;
  readonly field?: readonly string[];
  readonly agentRef?: readonly string[];
  readonly deadline?: number;
  readonly wait?: boolean;
}

interface ForkFlags extends ConfigFlags {
  readonly task?: readonly string[];
  readonly box?: string;
  readonly deadline?: number;
  readonly failFast?: boolean;
  readonly maxTasks?: number;
  readonly wait?: boolean;
  readonly join?: boolean;
  readonly maxTokens?: number;
}

const delegateHelp = `
Start here (any command that prints an answer can be the agent):
  $ galley profile add writer --text "You write short, plain sentences."
  $ galley delegate writer "Say hello."
  $ galley worker --run "echo Hello." --until-idle
  $ galley task list

More:
  $ galley delegate writer "Write the summary." --box BOX --field summary:string --wait
  \`galley help worker\` says what such a command reads and how it calls tools.`;

/** Says what is awaited: a person would otherwise look at a line that does not move. */
function tellWaiting({ json }: ConfigFlags, terminal: Terminal): void {
  if (!json && terminal.isTerminal)
    terminal.err("Waiting for the result; a daemon or a worker must run: galley up, or galley worker --run COMMAND\n");
}

export function defineDelegate(command: Command, terminal: Terminal, fail: () => void): void {
  addConfigFlags(
    command
      .description(
        "Packs a context for an agent and puts a task into the queue. The daemon of the data folder runs it with a model, or `galley worker` with a command.",
      )
      .argument("<target>", "the name of a profile; with --reuse or --clone the id of an agent")
      .argument("<instruction>", "what it is to do; - reads standard input")
      .option("--box <id...>", "boxes whose cards it inherits")
      .option(
        "--place <place>",
        "chat:KEY, agent:NAME or a session: it reads what was said there, and its result returns there",
      )
      .option("-m, --model <model>", "the model of this task, instead of the profile's")
      .option("--reuse", "use the named agent, with its memory")
      .option("--clone", "use a new agent that knows what the named one has said")
      .option("--field <field...>", "fields that the result must have: name or name:type")
      .option("--agent-ref <id...>", "agents that it may clone and reuse, as they are now")
      .option("--deadline <seconds>", "time out after this many seconds (default: 900)", wholeNumberFrom(1))
      .option("--wait", "wait for the result and print it"),
  )
    .addHelpText("after", delegateHelp)
    .action(async (target: string, text: string, flags: DelegateFlags) => {
      const instruction = text === "-" ? await terminal.readStdin() : text;
      await withConfig(flags, async ({ options, caller, store }) => {
        const handover = openHandover(options);
        const said = flags.place === undefined ? undefined : await saidAt(flags.place, flags, caller.projectId, store);
        const task = delegateArguments(target, instruction, flags);
        const giver = { ...caller, chosenModel: flags.model };
        const delegated = await giveTask(task, { boxes: flags.box, said }, giver, handover);
        if (flags.wait) tellWaiting(flags, terminal);
        const final = flags.wait ? await awaitTask(caller.projectId, delegated.task_id, handover) : undefined;
        const { status = delegated.status, result, error } = final ?? {};
        const outcome = final ? { result, error } : {};
        printResult(terminal, flags, { ...delegated, status, ...outcome }, () =>
          delegatedText({ ...delegated, status }, final, terminal),
        );
        if (final && status !== "succeeded") fail();
      });
    });
}

/** More of a chat than any window holds. */
const maxHistoryBytes = 8 * 1024 * 1024;

/** What was said in a chat, with an agent or in a session of the data folder. */
async function saidAt(
  named: string,
  flags: DelegateFlags,
  projectId: string,
  store: Store,
): Promise<GivenContext["said"]> {
  const place = wholePlace(named);
  const key = chatKeyOf(place);
  const { kind, name, sessionId } = place;
  if (key === undefined)
    return { place: `${kind}:${name}`, entries: await store.sessions.read({ projectId, sessionId }) };
  const read = (chat: Chat) => chat.context({ maxBytes: maxHistoryBytes }, {}).entries;
  return { place: `${kind}:${name}`, entries: await withKnownChat(flags.data ?? usualDataFolder(), key, read) };
}

function delegateArguments(
  target: string,
  instruction: string,
  flags: DelegateFlags,
): JsonObject & { readonly target_ref: string } {
  if (flags.reuse && flags.clone) throw new GalleyError("BadUsage", "--reuse and --clone do not go together.");
  return {
    target_strategy: flags.reuse ? "reuse" : flags.clone ? "clone" : "new",
    target_ref: target,
    instruction,
    ...(flags.field ? { result_fields: flags.field.map(readField) } : {}),
    ...(flags.agentRef ? { agent_refs: flags.agentRef } : {}),
    deadline_seconds: flags.deadline,
  };
}

function delegatedText(delegated: Delegated, final: Task | undefined, terminal: Terminal): string {
  const { task_id, agent_id, status, context_box_id, output_box_id } = delegated;
  const style = styleFor(terminal);
  const about = `  agent ${agent_id}\n  context box ${context_box_id}, output box ${output_box_id}`;
  const head = `task ${style.bold(task_id)} ${status}\n${style.dim(about)}\n`;
  if (!final)
    return `${head}${style.dim(`The daemon runs it, where one is up, or a worker: galley worker --run COMMAND\nHow it goes, and then the answer: galley task show ${task_id}`)}\n`;
  if (final.error) return `${head}error: ${final.error.message}\n`;
  return `${head}${typeof final.result === "string" ? final.result : JSON.stringify(final.result, null, 2)}\n`;
}

export function defineFork(command: Command, terminal: Terminal, fail: () => void): void {
  addConfigFlags(
    command
      .description("Starts several tasks side by side. With --wait it gives their results together, by task index.")
      .argument(
        "[file]",
        "tasks as JSON: a list of {target_strategy, target_ref, instruction, context_box_id?, result_fields?}; - reads standard input",
      )
      .option("--task <profile=instruction...>", "a task for a new agent of a profile")
      .option("--box <id>", "with --task: a box whose cards every task inherits")
      .option(
        "--deadline <seconds>",
        "time out what is still open after this many seconds (default: 900)",
        wholeNumberFrom(1),
      )
      .option("--fail-fast", "the first task that fails cancels the others")
      .option("--max-tasks <number>", "allow more than 8 tasks", wholeNumberFrom(1))
      .option("--wait", "wait for the results and print them")
      .option("--join", "wait, and pack the outputs into one box")
      .option("--max-tokens <tokens>", "with --join: the most that the box may hold", tokensFrom(1)),
  )
    .addHelpText(
      "after",
      '\nExample:\n  $ galley fork --task writer="Write a title." --task critic="Find three risks." --wait',
    )
    .action(async (file: string | undefined, flags: ForkFlags) => {
      const tasks = await readTasks(file, flags, terminal);
      await withConfig(flags, async ({ options, caller }) => {
        const handover = openHandover({
          ...options,
          limits: { maxTasksPerFork: flags.maxTasks },
        });
        const waits = flags.wait === true || flags.join === true;
        const args = {
          tasks,
          deadline_seconds: flags.deadline,
          ...(flags.failFast ? { fail_fast: true } : {}),
        };
        if (waits) tellWaiting(flags, terminal);
        const fork = await forkJoin(args, waits ? { ...caller, waiting: "block" } : caller, handover);
        const toJoin = { batch_id: fork.batch_id, max_tokens: flags.maxTokens };
        const joined = flags.join ? await join(toJoin, caller, handover) : undefined;
        printResult(terminal, flags, { ...fork, ...(joined ? { joined } : {}) }, () =>
          forkText(fork, joined, terminal),
        );
        if (waits && fork.status !== "success") fail();
      });
    });
}

async function readTasks(file: string | undefined, { task, box }: ForkFlags, terminal: Terminal): Promise<JsonValue> {
  if ((file === undefined) === (task === undefined)) {
    throw new GalleyError("BadUsage", "A fork needs a file with tasks or --task, and not both.", {
      hint: "galley help fork",
    });
  }
  if (file !== undefined) return parseTasks(await readText(file, terminal));
  return (task ?? []).map((pair) => {
    const [profile, instruction] = splitPair(pair, "--task profile=instruction");
    return {
      target_strategy: "new",
      target_ref: profile,
      instruction,
      context_box_id: box,
    };
  });
}

function parseTasks(text: string): JsonValue {
  const tasks = parseJson(text, { what: "list of tasks" }) as JsonValue;
  if (Array.isArray(tasks) && tasks.length > 0) return tasks;
  throw new GalleyError("BadRequest", "A fork needs a list with at least one task.", {
    path: "tasks",
    hint: `[{"target_strategy": "new", "target_ref": "PROFILE", "instruction": "…"}], or --task PROFILE=INSTRUCTION`,
  });
}

function forkText(
  { batch_id, status, results }: ForkResult,
  joined: JoinResult | undefined,
  terminal: Terminal,
): string {
  const style = styleFor(terminal);
  const head = `fork ${style.bold(batch_id)} ${status}\n\n${renderTable(results, terminal, {
    "#": ({ task_index }) => task_index,
    status: (one) => one.status,
    task: ({ task_id }) => task_id,
    "output box": ({ output_box_id }) => output_box_id,
    result: elastic(({ error, result }) => {
      const shown = error ? (error as JsonObject)["message"] : result;
      return onOneLine(typeof shown === "string" ? shown : (JSON.stringify(shown) ?? ""), 120);
    }),
  })}\n`;
  if (!joined) return head;
  const share = joined.left_out.map(
    (left) => `  left out of task ${left.task_index}: ${left.cards} cards, ${left.tokens} tokens\n`,
  );
  return `${head}\njoined into box ${style.bold(joined.box_id)}, ${joined.tokens} tokens\n${share.join("")}`;
}
