import { setTimeout as wait } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { type AgentInstanceMeta, type Archetype, archetypes } from "./agent-instance-meta.ts";
import { CanvasContextProvider } from "./canvas-context-provider.ts";
import type { ContextProvider } from "./context-provider.ts";
import { CoreContextProvider } from "./core-context-provider.ts";
import { type HookEvent, HookEventBus } from "./hook-event-bus.ts";
import type { AcpMcpServerStdio } from "./mcp-server.ts";
import { SessionContextInjector } from "./session-context-injector.ts";
import { SessionTokenStore } from "./session-token-store.ts";
import type { ActantToolDefinition, ToolScope } from "./tool-definition.ts";

function metaOf(archetype: Archetype = "employee"): AgentInstanceMeta {
  return {
    name: "mara",
    archetype,
    backendType: "claude-code",
    workspacePolicy: "persistent",
    launchMode: "managed",
  };
}

function tool(name: string, more: Partial<ActantToolDefinition> = {}): ActantToolDefinition {
  const parameters = { type: "object", properties: {} };
  return { name, description: `does ${name}`, parameters, rpcMethod: `x.${name}`, scope: "all", ...more };
}

function server(name: string, command = "run"): AcpMcpServerStdio {
  return { name, command, args: [] };
}

function injectorWith(...providers: readonly ContextProvider[]): SessionContextInjector {
  const injector = new SessionContextInjector({ timeLimitMs: 5000 });
  for (const provider of providers) injector.register(provider);
  return injector;
}

const text = (name: string, content: string): ContextProvider => ({ name, getSystemContext: () => content });

test("[I1] a session of an employee gets identity, canvas and tool instructions, in this order", async () => {
  const injector = injectorWith(new CoreContextProvider(), new CanvasContextProvider());
  injector.setTokenStore(new SessionTokenStore());
  const context = await injector.prepare("mara", metaOf(), "s1");
  const [identity, canvas, instructions, ...more] = context.systemContextAdditions;
  expect(more).toEqual([]);
  expect(identity).toMatch(/^## Galley Agent Identity\n\nYou are \*\*mara\*\*/);
  expect(identity).toContain("employee");
  expect(identity).toContain("claude-code");
  expect(identity).toContain("persistent");
  expect(canvas).toMatch(/^You have a live canvas/);
  expect(instructions).toMatch(/^## Galley Internal Tools/);
  expect(instructions).toContain("actant_canvas_update({ html: string, title?: string })");
  expect(instructions).toContain(context.token);
  expect(context.tools.map(({ name }) => name)).toEqual(["actant_canvas_update", "actant_canvas_clear"]);
  expect(context.token).toMatch(/^[0-9a-f]{64}$/);
  expect(context.sessionId).toBe("s1");
  expect(context.systemContextAdditions.join("\n")).not.toContain("{{");
});

test("[I1] provider methods may be async, and all methods are optional", async () => {
  const context = await injectorWith(
    {
      name: "slow",
      getMcpServers: async () => (await wait(20), [server("a")]),
      getTools: async () => [tool("t")],
      getSystemContext: async () => "slow text",
    },
    { name: "nothing" },
    text("fast", "fast text"),
  ).prepare("mara", metaOf());
  expect(context.mcpServers).toEqual([server("a")]);
  expect(context.tools.map(({ name }) => name)).toEqual(["t"]);
  expect(context.systemContextAdditions).toEqual(["slow text", "fast text"]);
  expect(context.providers).toEqual([
    { name: "slow", status: "ready", mcpServers: ["a"], tools: ["t"], systemContext: 0 },
    { name: "nothing", status: "ready", mcpServers: [], tools: [] },
    { name: "fast", status: "ready", mcpServers: [], tools: [], systemContext: 1 },
  ]);
});

test("[I2] a name that is registered again keeps its place; unregistering an unknown one does nothing", async () => {
  const injector = injectorWith(text("a", "a1"), text("b", "b1"), text("c", "c1"));
  injector.register(text("a", "a2"));
  injector.unregister("b");
  injector.unregister("unknown");
  expect(injector.listProviders()).toEqual(["a", "c"]);
  expect((await injector.prepare("mara", metaOf())).systemContextAdditions).toEqual(["a2", "c1"]);
});

test("[I3] providers are asked one after the other: servers, tools, system text", async () => {
  const calls: string[] = [];
  const asked = (name: string): ContextProvider => ({
    name,
    getSystemContext: (agent, meta) => (calls.push(`${name} text ${agent} ${meta.backendType}`), ""),
    getTools: () => (calls.push(`${name} tools`), []),
    getMcpServers: () => (calls.push(`${name} servers`), []),
  });
  await injectorWith(asked("a"), asked("b")).prepare("mara", metaOf());
  const of = (name: string): string[] => [`${name} servers`, `${name} tools`, `${name} text mara claude-code`];
  expect(calls).toEqual([...of("a"), ...of("b")]);
});

test("[I3] the first of a name wins, for servers and for tools; empty text is skipped", async () => {
  const context = await injectorWith(
    { name: "a", getMcpServers: () => [server("s", "first"), server("s", "again")], getTools: () => [tool("t")] },
    {
      name: "b",
      getMcpServers: () => [server("s", "second"), server("own")],
      getTools: () => [tool("t", { description: "second" }), tool("u")],
      getSystemContext: () => " \n",
    },
    { name: "c", getSystemContext: () => undefined },
    text("d", "d"),
  ).prepare("mara", metaOf());
  expect(context.mcpServers).toEqual([server("s", "first"), server("own")]);
  expect(context.tools).toEqual([tool("t"), tool("u")]);
  expect(context.systemContextAdditions).toEqual(["d"]);
  expect(context.hidden.map(({ kind, name, provider, rule }) => [kind, name, provider, rule])).toEqual([
    ["server", "s", "a", "name-taken"],
    ["server", "s", "b", "name-taken"],
    ["tool", "t", "b", "name-taken"],
  ]);
});

const visible: Record<Archetype, readonly ToolScope[]> = {
  repo: ["all"],
  service: ["all", "service"],
  employee: ["all", "service", "employee"],
};

test.each(archetypes)("[I3] the scopes that a %s sees", async (archetype) => {
  const scopes: readonly ToolScope[] = ["all", "service", "employee"];
  const context = await injectorWith({
    name: "a",
    getTools: () => scopes.map((scope) => tool(`for_${scope}`, { scope })),
  }).prepare("mara", metaOf(archetype));
  expect(context.tools.map(({ scope }) => scope)).toEqual(visible[archetype]);
  expect(context.hidden.map(({ name, rule }) => [name, rule])).toEqual(
    scopes.filter((scope) => !visible[archetype].includes(scope)).map((scope) => [`for_${scope}`, "scope"]),
  );
});

test("[I3] scope is checked before the name is taken; an unknown scope hides its tool and says so", async () => {
  const context = await injectorWith(
    { name: "a", getTools: () => [tool("t", { scope: "employee" }), tool("odd", { scope: "root" as ToolScope })] },
    { name: "b", getTools: () => [tool("t", { description: "b's" }), tool("odd")] },
  ).prepare("mara", metaOf("service"));
  expect(context.tools).toEqual([tool("t", { description: "b's" }), tool("odd")]);
  expect(context.hidden).toMatchObject([
    { name: "t", provider: "a", rule: "scope", reason: "it is for employee agents and up; this one is service" },
    { name: "odd", provider: "a", rule: "unknown-scope", reason: expect.stringContaining('"root"') },
  ]);
});

test.each(["admin", "", "toString", undefined])("[I3] the unknown archetype %s fails prepare", async (archetype) => {
  const injector = injectorWith(text("a", "a"));
  const tokens = new SessionTokenStore();
  injector.setTokenStore(tokens);
  const failed = injector.prepare("mara", { ...metaOf(), archetype: archetype as Archetype });
  await expect(failed).rejects.toMatchObject({ code: "AgentInvalid", path: "archetype" });
  expect(tokens.size).toBe(0);
});

const failures: Record<string, Partial<ContextProvider>> = {
  "throws at once": {
    getTools: () => {
      throw new Error("no tools today");
    },
  },
  "throws something odd": {
    getTools: () => {
      // oxlint-disable-next-line no-throw-literal, typescript/only-throw-error -- providers are other people's code
      throw "no tools today";
    },
  },
  rejects: { getSystemContext: async () => Promise.reject(new Error("no text today")) },
  hangs: { timeLimitMs: 30, getMcpServers: () => new Promise(() => {}) },
  "gives something that is no list": { getTools: () => "tools" as unknown as [] },
  "gives a tool without a name": { getTools: () => [tool("")] },
  "gives a server without arguments": { getMcpServers: () => [{ name: "s", command: "c" }] as unknown as [] },
};

test.each(Object.entries(failures))("[I4] a provider that %s is left out whole, and said", async (_, methods) => {
  const bus = new HookEventBus();
  const events: HookEvent[] = [];
  bus.on("provider:unavailable", (event) => events.push(event));
  const odd: ContextProvider = { name: "odd", getMcpServers: () => [server("odd")], ...methods };
  const injector = injectorWith(text("a", "a"), odd, text("b", "b"));
  injector.setEventBus(bus);
  const context = await injector.prepare("mara", metaOf());
  expect(context.systemContextAdditions).toEqual(["a", "b"]);
  expect(context.mcpServers).toEqual([]);
  expect(context.providers).toMatchObject([
    { name: "a", status: "ready" },
    { name: "odd", status: "unavailable", reason: expect.stringMatching(/today|within 30 ms|cannot be used/) },
    { name: "b", status: "ready" },
  ]);
  expect(events).toMatchObject([{ agentName: "mara", data: { provider: "odd", required: false } }]);
});

test.each(Object.entries(failures))("[I4] a required provider that %s fails prepare", async (_, methods) => {
  const tokens = new SessionTokenStore();
  const injector = injectorWith({ name: "odd", required: true, ...methods }, text("b", "b"));
  injector.setTokenStore(tokens);
  await expect(injector.prepare("mara", metaOf())).rejects.toMatchObject({
    code: "ProviderFailed",
    path: "odd",
    retryable: true,
  });
  expect(tokens.size).toBe(0);
});

test("[I4] many providers that hang cost one time limit, not one each", async () => {
  const hanging = Array.from({ length: 50 }, (_, index) => ({
    name: `h${index}`,
    timeLimitMs: 200,
    getTools: () => new Promise<never>(() => {}),
  }));
  const start = performance.now();
  const context = await injectorWith(...hanging).prepare("mara", metaOf());
  expect(context.providers.every(({ status }) => status === "unavailable")).toBe(true);
  // One after the other would take ten seconds.
  expect(performance.now() - start).toBeLessThan(5000);
});

test("[I4] a required failure does not leave timers that hold the process", async () => {
  const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const before = timers();
  const injector = injectorWith(
    ...Array.from({ length: 50 }, (_, index): ContextProvider => ({
      name: `hangs${index}`,
      timeLimitMs: 60_000,
      getTools: () => new Promise(() => {}),
    })),
    { name: "fails", required: true, getTools: () => Promise.reject(new Error("no")) },
  );
  await expect(injector.prepare("mara", metaOf())).rejects.toThrow("no");
  // The test runner has timers too.
  expect(timers()).toBeLessThan(before + 25);
});

test("[I5] revokeTokens ends all sessions of an agent; prepare without a session id makes a new session each time", async () => {
  const tokens = new SessionTokenStore();
  const injector = injectorWith();
  injector.setTokenStore(tokens);
  const [first, second] = [await injector.prepare("mara", metaOf()), await injector.prepare("mara", metaOf())];
  expect(first.sessionId).not.toBe(second.sessionId);
  expect(tokens.validate(first.token)).toMatchObject({ agentName: "mara", sessionId: first.sessionId });
  injector.revokeTokens("mara");
  expect([tokens.validate(first.token), tokens.validate(second.token)]).toEqual([undefined, undefined]);
});

test("[I7] preparing and ready are told with the seed's payloads, in their envelope", async () => {
  const bus = new HookEventBus({ clock: () => Date.UTC(2026, 10, 16) });
  const events: HookEvent[] = [];
  bus.on("*", (event) => events.push(event));
  const injector = injectorWith(text("a", "a"), { name: "b", getTools: () => [tool("t")] });
  injector.setEventBus(bus);
  injector.setTokenStore(new SessionTokenStore());
  await injector.prepare("mara", metaOf());
  const envelope = {
    agentName: "mara",
    timestamp: "2026-11-16T00:00:00.000Z",
    callerType: "system",
    callerId: "session-context-injector",
  };
  expect(events).toEqual([
    { event: "session:preparing", data: { providerCount: 2 }, ...envelope },
    { event: "session:context-ready", data: { mcpServerCount: 0, toolCount: 1, contextAdditions: 2 }, ...envelope },
  ]);
});

test("[I7] a listener that throws or rejects harms neither prepare nor other listeners, and is an event", async () => {
  const bus = new HookEventBus();
  const heard = vi.fn<() => void>();
  const failed = vi.fn<(reason: unknown) => void>();
  bus.on("session:preparing", () => {
    throw new Error("sync");
  });
  bus.on("session:preparing", async () => Promise.reject(new Error("async")));
  bus.on("session:preparing", heard);
  bus.on("listener:failed", (event) => failed(event.data["reason"]));
  bus.on("listener:failed", () => {
    throw new Error("again");
  });
  const injector = injectorWith(text("a", "a"));
  injector.setEventBus(bus);
  expect((await injector.prepare("mara", metaOf())).systemContextAdditions).toEqual(["a"]);
  expect(heard).toHaveBeenCalledTimes(1);
  expect(failed.mock.calls.flat()).toEqual(["sync", "async"]);
});
