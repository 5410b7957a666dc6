import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { AgentDeclaration } from "../../config/config-schema.ts";
import { galleyIn } from "../../galley/testing/temp-galley.ts";
import { type LlmServer, obedientModel, startLlmServer, toolCallingModel } from "../../models/testing/llm-server.ts";
import { isGroupAlive } from "../../agents/process-group.ts";
import { openGalleyAgents } from "./agent-host.ts";
import { type RealAgent, ownMemory, realAgents } from "../testing/real-agents.ts";
import { declared, systemSentence, testHost } from "../testing/temp-agent-host.ts";

/** Where `npm run test:agents` has installed the agents, each in a folder of its own. */
const installed = process.env["GALLEY_AGENTS"];

function homeWith(files: Readonly<Record<string, string>>): string {
  const home = mkdtempSync(join(tmpdir(), "galley-home-"));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
  return home;
}

/** The agent as a configuration would declare it, in a home of its own. */
function declaredFor({ name, backendType, bin, args = [], env, files }: RealAgent, llm: LlmServer): AgentDeclaration {
  const home = homeWith(files?.(llm) ?? {});
  return declared({
    name,
    backendType,
    command: join(installed ?? "", name, "node_modules", ".bin", bin),
    args,
    env: { ...env(llm, home), HOME: home },
    permissions: "deny",
  });
}

/** Those that are installed: one alone can be tried as well. */
const present = realAgents.filter(({ name }) => existsSync(join(installed ?? "", name, "node_modules")));

describe.skipIf(installed === undefined)("[A6] context tools switch real agents", () => {
  test.each(present)("$name", { timeout: 300_000 }, async (real) => {
    const { name } = real;
    const llm = await startLlmServer(obedientModel());
    onTestFinished(() => llm.close());
    const agent = declaredFor(real, llm);
    const data = mkdtempSync(join(tmpdir(), "galley-real-"));
    const opened = async () => {
      const galley = await galleyIn(data, { config: { agents: [agent] } });
      const { PATH, HOME } = process.env;
      const host = await openGalleyAgents(galley, { folder: data, environment: { PATH, HOME } });
      onTestFinished(() => host.close());
      await host.manager.startAgent(name);
      return { galley, host };
    };
    let { galley, host } = await opened();
    /** What the model was sent with this prompt in it. An agent may send more on its own, also for a session that it has left. */
    const sentFor = async (text: string): Promise<string> => {
      const before = llm.requests.length;
      await host.manager.prompt(name, text);
      const sent = llm.requests.slice(before).filter(({ userTexts }) => userTexts.some((one) => one.includes(text)));
      expect(sent.length).toBeGreaterThan(0);
      return JSON.stringify(sent);
    };
    const knows = async (text: string): Promise<boolean> => (await sentFor(text)).includes("4711");
    await sentFor("The harbour code is 4711.");
    const { pid } = host.manager.sessionOf(name)?.connection ?? {};
    const put = await sentFor('CALL#1 chat_context_new {"title":"Harbour"}');
    expect(put.includes("takes effect with the next message")).toBe(true);
    expect(await knows("What is the harbour code?")).toBe(false);
    const isSameProcess = host.manager.sessionOf(name)?.connection.pid === pid;
    process.stdout.write(`${name}: a new session in ${isSameProcess ? "the same" : "another"} process\n`);
    await sentFor('CALL#2 chat_context_load {"query":"harbour"}');
    expect(await knows("And now?")).toBe(true);
    const chat = await galley.chats.open(`agent:${name}`);
    const said = JSON.stringify(chat.transcript().messages);
    for (const text of ["4711", "CALL#1", "What is the harbour code?", "CALL#2", "And now?"])
      expect(said).toContain(text);
    await host.close();
    await galley.close();
    ({ galley, host } = await opened());
    expect(await knows("Go on.")).toBe(true);
  });
});

describe.skipIf(installed === undefined)("[A1, A3] what real agents hand over comes back to them", () => {
  test.each(present)("$name", { timeout: 300_000 }, async (real) => {
    const { name } = real;
    const llm = await startLlmServer(obedientModel());
    onTestFinished(() => llm.close());
    const agent = declaredFor(real, llm);
    const profiles = [{ name: "writer", text: "You write.", model: "demo" }];
    const galley = await galleyIn(undefined, { config: { agents: [agent], profiles } });
    const { PATH, HOME } = process.env;
    const host = await openGalleyAgents(galley, { folder: galley.data, environment: { PATH, HOME } });
    onTestFinished(() => host.close());
    await host.manager.startAgent(name);
    const task = { target_strategy: "new", target_ref: "writer", instruction: "Describe a lighthouse." };
    await host.manager.prompt(name, `CALL#1 delegate_async ${JSON.stringify(task)}`);
    const [started] = await galley.store.tasks.list(galley.project);
    const id = started?.id ?? "";
    expect(started?.origin).toMatchObject({ place: `agent:${name}`, anchor: expect.any(String) as string });
    await galley.handover.waitFor(id);
    await host.manager.prompt(name, "Anything new?");
    const told = llm.requests.flatMap(({ userTexts }) => userTexts).find((text) => text.includes("Anything new?"));
    expect(told).toMatch(/written by another agent, not by the user.*Describe a lighthouse/s);
    const question = { profile_name: "writer", question: "How high is it?", include_history: true };
    await host.manager.prompt(name, `CALL#2 ask_expert ${JSON.stringify(question)}`);
    const tasks = await galley.store.tasks.list(galley.project);
    const asked = tasks.find((one) => one.id !== id);
    expect(asked?.status).toBe("succeeded");
    expect(asked?.returnedAt).not.toBeNull();
    const session = { projectId: galley.project, sessionId: `task:${asked?.id}` };
    const read = JSON.stringify((await galley.store.builds.read(session, 1))?.messages);
    expect(read).toMatch(/was said in agent:.*Anything new\?.*How high is it\?/s);
  });
});

describe.skipIf(installed === undefined)(
  "[I9] a command that a model describes like a tool of ours is not let through",
  () => {
    // Copilot asks for permission with that description as the title, and names no tool.
    test.each(present.filter(({ name }) => name === "copilot"))("$name", { timeout: 180_000 }, async (real) => {
      const llm = await startLlmServer(obedientModel());
      onTestFinished(() => llm.close());
      const agent = declaredFor(real, llm);
      const { manager } = await testHost([agent]);
      await manager.startAgent(real.name);
      const file = join(agent.env?.["HOME"] ?? "", "touched");
      const input = { command: `touch ${file}`, description: "galley_echo" };
      await manager.prompt(real.name, `CALL#1 bash ${JSON.stringify(input)}`);
      expect(JSON.stringify(llm.requests)).toContain("CALL#1 bash");
      expect(existsSync(file)).toBe(false);
    });
  },
);

describe.skipIf(installed === undefined)("[I9] real agents get our tools and our text", () => {
  test.each(present)("$name", { timeout: 180_000 }, async (real) => {
    const { name, way } = real;
    const llm = await startLlmServer(toolCallingModel("galley_echo", { text: "hello" }));
    onTestFinished(() => llm.close());
    const agent = declaredFor(real, llm);
    const { manager, calls, tokenStore, events } = await testHost([agent]);
    const session = await manager.startAgent(name);
    expect(session.connection.session.systemTextWay).toBe(way);
    const outcome = await manager.prompt(name, "Please say hello with the tool.");
    expect(outcome.stopReason).toBe("end_turn");
    expect(outcome.text).toContain("hello");
    expect(outcome.text).toContain("The tool said:");
    expect(calls).toEqual([{ agent: name, id: `agent:${name}` }]);
    const asked = llm.requests.find(({ tools }) => tools.some((tool) => tool.name.endsWith("galley_echo")));
    for (const text of [systemSentence, ...(way === "home" ? [ownMemory] : [])]) expect(asked?.system).toContain(text);
    expect(JSON.stringify(llm.requests)).not.toContain(session.context.token);
    const results = llm.requests
      .flatMap(({ toolResults }) => toolResults)
      .join()
      .replaceAll("\\", "");
    expect(results).toContain(`{"echo":"hello","agent":"${name}"}`);
    const { pid } = session.connection;
    await manager.stopAgent(name);
    expect(isGroupAlive(pid)).toBe(false);
    expect(tokenStore.size).toBe(0);
    expect(events.filter(({ event }) => event === "agent:tools-unseen")).toEqual([]);
  });
});
