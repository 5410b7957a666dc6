import { setTimeout as wait } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { type Archetype, archetypes } from "../config/providers/agent-meta.ts";
import { CanvasContextProvider } from "./canvas/canvas-tools.ts";
import type { ContextProvider } from "../config/providers/context-provider.ts";
import { CoreContextProvider } from "./providers/core-context-provider.ts";
import { type HookEvent, HookEventBus } from "./session/hook-event-bus.ts";
import { injectorWith, metaOf, server, text, tool } from "./testing/injector.ts";
import { SessionTokenStore } from "./session/session-token-store.ts";
import type { ToolScope } from "../tools/tool.ts";

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

test("[I7] preparing and ready are told with what they count, in their envelope", async () => {
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
