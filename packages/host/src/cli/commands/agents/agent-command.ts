import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { GalleyError } from "@galley/engine";
import type { Command } from "commander";
import { onOneLine } from "../../../limits/short-text.ts";
import type { AgentUpdate } from "../../../agents/acp-prompt.ts";
import { type RunningAgentState, runningAgents, stopRunningAgent } from "../../../agents/running-agents.ts";
import { commandLine } from "../../../secrets/command-line.ts";
import { defineOwnAgents } from "./own-agents-command.ts";
import { connect, promptInDaemon } from "../../input/connect.ts";
import { tokenOption } from "../../input/options.ts";
import { addAgentFlags, type AgentFlags, agentsOf, configHelp, openProject } from "../../input/agent-flags.ts";
import { cleanLines } from "../../terminal/clean-text.ts";
import { printResult } from "../../terminal/report.ts";
import { elastic, listText, styled } from "../../terminal/table.ts";
import { type Terminal, styleFor } from "../../terminal/terminal.ts";
import { interruptible, untilSignal } from "../../terminal/until-signal.ts";

/** How long an agent's owner may take to stop it before it is ended from outside. */
const stopLimitMs = 15_000;
/** How long an agent may take to end a prompt before it is ended itself. */
const cancelLimitMs = 5000;

/** `galley agent`: the agents of galley.config and those that were added, over ACP. */
export function defineAgent(agent: Command, terminal: Terminal, fail: (code: number) => void): void {
  agent.addHelpText("after", configHelp);
  const add = (name: string, description: string): Command =>
    addAgentFlags(agent.command(name).description(description))
      .addOption(tokenOption())
      .option("--json", "print JSON and nothing else");
  defineOwnAgents(add, terminal);
  add("list", "Lists the agents that are declared or added, and which of them run.").action((flags: AgentFlags) =>
    listAgents(flags, terminal),
  );
  add("start", "Starts an agent and stays with it until it is stopped (Ctrl+C, or galley agent stop).")
    .argument("<name>", "an agent")
    .action((name: string, flags: AgentFlags) => startAgent(name, flags, terminal));
  add("prompt", "Starts an agent, sends it one prompt, prints what it says, and stops it.")
    .argument("<name>", "an agent")
    .argument("[text]", "the prompt; standard input if absent")
    .action((name: string, text: string | undefined, flags: AgentFlags) =>
      promptAgent(name, text, { flags, terminal, fail }),
    );
  add("stop", "Stops every run of an agent, whichever terminal it was started in.")
    .argument("<name>", "an agent")
    .action((name: string, flags: AgentFlags) => stopAgent(name, flags, terminal));
}

async function listAgents(flags: AgentFlags, terminal: Terminal): Promise<void> {
  const all = await agentsOf(flags);
  const running = await runningAgents(resolve(flags.data));
  const agents = all
    .list()
    .map(({ agent: { name, archetype, backendType, command, args, launchMode, env }, from }) => ({
      name,
      from,
      archetype,
      backendType,
      launchMode,
      command: commandLine([command, ...args], env),
      running: running.filter((run) => run.name === name).map(publicRun),
    }));
  printResult(terminal, flags, { agents }, () => {
    const hasAdded = agents.some(({ from }) => from === "added");
    const whenEmpty = "There are no agents. `galley agent add` adds one, galley.config declares one.";
    return listText(agents, terminal, whenEmpty, {
      agent: "name",
      archetype: "archetype",
      backend: "backendType",
      ...(hasAdded ? { from: ({ from }: (typeof agents)[number]) => from } : {}),
      state: styled("cyan", ({ running: runs }) => runs.map(stateText).join(", ") || "stopped"),
      command: elastic(({ command }) => onOneLine(command, 200), "dim"),
    });
  });
}

function publicRun({ agent, owner, sessionId, startedAt, state }: RunningAgentState) {
  return { pid: agent.pid, ownerPid: owner.pid, sessionId, startedAt, state };
}

function stateText({ pid, state }: ReturnType<typeof publicRun>): string {
  return `${state} (${pid})`;
}

async function startAgent(name: string, flags: AgentFlags, terminal: Terminal): Promise<void> {
  const daemon = await connect(flags);
  if (daemon) {
    const agent = await daemon.call("agents.start", { params: { name } });
    return printResult(terminal, flags, { agent }, () => `${name} runs in the daemon. galley agent stop ends it.\n`);
  }
  const host = await openProject(flags, terminal);
  const { signalled, forget } = untilSignal();
  try {
    const style = styleFor(terminal);
    const failed = new Promise<never>((_, reject) => {
      host.eventBus.on("*", ({ event, data, timestamp }) => {
        if (flags.json) terminal.out(`${JSON.stringify({ event, timestamp, data })}\n`);
        else terminal.err(`${style.dim(timestamp)} ${event} ${cleanLines(JSON.stringify(data))}\n`);
        if (event !== "agent:given-up") return;
        const hint = "See above how it ended; `galley agent start` tries again.";
        reject(new GalleyError("AgentFailed", `${name} has ended, and is not started again.`, { hint }));
      });
    });
    // It may fail before anything waits for it.
    failed.catch(() => {});
    const starting = host.manager.startAgent(name);
    // Where a signal comes while it starts, closing the host ends the start: its error is only the consequence.
    starting.catch(() => {});
    if (typeof (await Promise.race([starting, signalled])) === "string") return;
    if (!flags.json) terminal.out(`${name} runs. Ctrl+C stops it.\n`);
    await Promise.race([signalled, failed]);
  } finally {
    await host.close();
    forget();
  }
}

interface PromptContext {
  readonly flags: AgentFlags;
  readonly terminal: Terminal;
  readonly fail: (code: number) => void;
}

async function promptAgent(name: string, given: string | undefined, context: PromptContext): Promise<void> {
  const { flags, terminal, fail } = context;
  const daemon = await connect(flags);
  if (!daemon) (await agentsOf(flags)).named(name);
  const text = given ?? (await terminal.readStdin());
  if (text.trim() === "") {
    throw new GalleyError("BadUsage", "There is no prompt.", { hint: `galley agent prompt ${name} "Hello"` });
  }
  const onUpdate = (update: AgentUpdate): void => showUpdate(update, flags, terminal);
  const cancel = new AbortController();
  await interruptible(fail, async (signalled) => {
    if (daemon) {
      const stopped = new GalleyError("RunAborted", "It was stopped before the agent had answered.");
      void signalled.then(() => cancel.abort(stopped));
      const outcome = await promptInDaemon(daemon, { name, text, signal: cancel.signal, cancelLimitMs, onUpdate });
      return showOutcome(name, outcome, flags, terminal);
    }
    const host = await openProject(flags, terminal);
    let isPrompted = false;
    void signalled.then(async () => {
      cancel.abort();
      // An agent that is asked to end its prompt may take no notice.
      if (isPrompted) await sleep(cancelLimitMs, undefined, { ref: false });
      await host.manager.stopAgent(name);
    });
    try {
      await host.manager.startAgent(name);
      isPrompted = true;
      const outcome = await host.manager.prompt(name, text, { onUpdate, signal: cancel.signal });
      showOutcome(name, outcome, flags, terminal);
    } finally {
      await host.close();
    }
  });
}

function showOutcome(
  name: string,
  outcome: { readonly stopReason: string; readonly text: string },
  { json }: AgentFlags,
  terminal: Terminal,
): void {
  const { stopReason, text } = outcome;
  if (json) terminal.out(`${JSON.stringify({ type: "result", stopReason, text })}\n`);
  else if (!text.endsWith("\n")) terminal.out("\n");
  if (stopReason === "end_turn") return;
  throw new GalleyError("AgentFailed", `${name} stopped before it was done: ${stopReason}.`);
}

/** What the agent says goes to standard output; what it does goes to standard error. */
function showUpdate(update: AgentUpdate, { json }: AgentFlags, terminal: Terminal): void {
  if (json) {
    terminal.out(`${JSON.stringify({ type: "update", update })}\n`);
    return;
  }
  if (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text") {
    // Texts of models may hold codes that would rule the terminal.
    terminal.out(terminal.isTerminal ? cleanLines(update.content.text) : update.content.text);
  }
  if (update.sessionUpdate === "tool_call") {
    terminal.err(styleFor(terminal).dim(`[${onOneLine(update.title, 100)}]\n`));
  }
}

async function stopAgent(name: string, flags: AgentFlags, terminal: Terminal): Promise<void> {
  const daemon = await connect(flags);
  const dataFolder = resolve(flags.data);
  const running = async (): Promise<readonly RunningAgentState[]> =>
    (await runningAgents(dataFolder)).filter((run) => run.name === name);
  // Listed before anything is stopped, so that what the daemon stops is reported as well.
  const runs = await running();
  // The daemon would start an agent again that another process ended.
  if (daemon) await daemon.call("agents.stop", { params: { name } });
  else (await agentsOf(flags)).named(name);
  const others = new Set((await running()).map(({ sessionId }) => sessionId));
  const stopped = await Promise.all(
    runs.map(async (run) => {
      const isStopped = !others.has(run.sessionId) || (await stopRunningAgent(dataFolder, run, stopLimitMs));
      return { ...publicRun(run), isStopped };
    }),
  );
  printResult(terminal, flags, { name, stopped }, () =>
    runs.length === 0 ? `${name} does not run.\n` : `${name} was stopped (${runs.length}).\n`,
  );
  const left = stopped.filter(({ isStopped }) => !isStopped).map(({ pid }) => pid);
  if (left.length > 0) {
    throw new GalleyError("AgentFailed", `${name} could not be stopped: ${left.join(", ")}.`, {
      hint: "The process belongs to another user or machine, or the system holds it.",
    });
  }
}
