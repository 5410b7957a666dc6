import { expect, test } from "vitest";
import type { ContextProvider } from "../config/providers/context-provider.ts";
import { type HookEvent, HookEventBus } from "./session/hook-event-bus.ts";
import { injectorWith, metaOf, server, text, tool } from "./testing/injector.ts";
import { SessionTokenStore } from "./session/session-token-store.ts";
import type { ToolScope } from "../tools/tool.ts";

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
  "throws what is not text": {
    getTools: () => {
      throw Object.create(null);
    },
  },
  "gives parameters that are not JSON": {
    getTools: () => [tool("t", { parameters: { properties: { a: { const: 1n } } } })],
  },
  "gives fields that throw": {
    getTools: () => [
      {
        ...tool("t"),
        get scope(): ToolScope {
          throw new Error("no scope today");
        },
      },
    ],
  },
  rejects: { getSystemContext: async () => Promise.reject(new Error("no text today")) },
  hangs: { timeLimitMs: 30, getMcpServers: () => new Promise(() => {}) },
  "gives something that is not a list": { getTools: () => "tools" as unknown as [] },
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
  injector.setTokenStore(new SessionTokenStore());
  const context = await injector.prepare("mara", metaOf());
  expect(context.systemContextAdditions).toEqual(["a", "b"]);
  expect(context.mcpServers).toEqual([]);
  expect(context.providers).toMatchObject([
    { name: "a", status: "ready" },
    {
      name: "odd",
      status: "unavailable",
      reason: expect.stringMatching(/today|within 30 ms|cannot be used|into words/),
    },
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
  let asked = 0;
  const hanging = Array.from({ length: 50 }, (_, index) => ({
    name: `h${index}`,
    timeLimitMs: 200,
    getTools: () => {
      asked += 1;
      return new Promise<never>(() => {});
    },
  }));
  const preparing = injectorWith(...hanging).prepare("mara", metaOf());
  // One after the other, the second would have to wait for the first one's limit.
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(asked).toBe(50);
  const context = await preparing;
  expect(context.providers.every(({ status }) => status === "unavailable")).toBe(true);
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

test("[I4] nothing may be said as null, and a scope of any type hides its tool only", async () => {
  // oxlint-disable-next-line unicorn/no-thenable -- that is what it is about
  const otherPromise = { then: (go: (text: string) => void) => go("late") };
  const context = await injectorWith(
    {
      name: "null",
      getMcpServers: async () => null as unknown as [],
      getTools: async () => null as unknown as [],
      getSystemContext: () => null as unknown as undefined,
    },
    { name: "odd", getTools: () => [tool("t", { scope: 1n as unknown as ToolScope }), tool("u")] },
    { name: "other promise", getSystemContext: () => otherPromise as never },
  ).prepare("mara", metaOf());
  expect(context.providers.map(({ status }) => status)).toEqual(["ready", "ready", "ready"]);
  expect(context.tools.map(({ name }) => name)).toEqual(["u"]);
  expect(context.hidden).toMatchObject([{ name: "t", rule: "unknown-scope" }]);
  expect(context.systemContextAdditions).toEqual(["late"]);
});
