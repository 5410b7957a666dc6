import { expect, test } from "vitest";
import { type RouteName, routes } from "../api/index.ts";
import { startLlmServer, toolCallingModel } from "../models/testing/llm-server.ts";
import { smallAgent } from "./testing/temp-agent-host.ts";
import { type TestDaemon, testDaemon } from "./testing/temp-daemon.ts";

/** Which routes the tests of this file have asked for. */
const asked = new Set<RouteName>();

const asking = (own: TestDaemon): TestDaemon => ({
  ...own,
  call: (name, input) => own.call((asked.add(name), name), input),
  events: (name, input, rest) => own.events((asked.add(name), name), input, rest),
});

test("[I8, I9] an agent is shown, started, spoken to, draws, and is stopped", async () => {
  const llm = await startLlmServer(
    toolCallingModel("actant_canvas_update", { html: "<h1>Plan</h1><script>x()</script>", title: "Plan" }),
  );
  const agent = smallAgent("", { env: { SMALL_AGENT_LLM: llm.url }, permissions: { allow: ["*"] } });
  const own = asking(await testDaemon({ galley: { config: { agents: [agent] } } }));
  const params = { name: "mara" };
  const shown = await own.call("agents.get", { params });
  expect(shown).toMatchObject({ state: "stopped", archetype: "service" });
  expect(shown.providers.map(({ status }) => status)).not.toContain("unavailable");
  expect(shown.tools.map(({ name }) => name)).toContain("actant_canvas_update");
  expect((await own.answer("agents.prompt", { params, body: { text: "x" } })).status).toBe(424);
  expect(await own.call("agents.start", { params })).toMatchObject({ state: "running" });
  const events = await own.events("agents.prompt", { params, body: { text: "Draw a plan." } });
  expect(events.at(-1)?.data).toMatchObject({ type: "done", stopReason: "end_turn" });
  expect(await own.call("agents.canvas", { params })).toMatchObject({ title: "Plan", version: 1 });
  const page = await own.get("/canvas/mara");
  expect(page.headers["content-security-policy"]).toMatch(/^sandbox; default-src 'none'/);
  expect(page.text).not.toContain("<script");
  expect((await own.call("agents.list")).agents).toMatchObject([{ name: "mara", canvas: { title: "Plan" } }]);
  await own.call("agents.clearCanvas", { params });
  expect(await own.call("agents.canvas", { params })).toBeNull();
  expect(await own.call("agents.stop", { params })).toMatchObject({ state: "stopped" });
  expect((await own.answer("agents.get", { params: { name: "nobody" } })).status).toBe(404);
  await llm.close();
});

test("[I9] an agent is asked to end its prompt, and those that follow it hear so", async () => {
  const own = asking(await testDaemon({ galley: { config: { agents: [smallAgent("wait-for-cancel")] } } }));
  const params = { name: "mara" };
  expect((await own.answer("agents.cancel", { params })).status).toBe(424);
  await own.call("agents.start", { params });
  expect(await own.call("agents.cancel", { params })).toEqual({ wasBusy: false });
  const following = own.events("agents.prompt", { params, body: { text: "Wait." } });
  // One that comes later, or after a reload, hears the same.
  await expect.poll(async () => (await own.call("agents.get", { params })).asked).toBe("Wait.");
  const later = own.events("agents.follow", { params });
  await expect.poll(() => own.call("agents.cancel", { params })).toEqual({ wasBusy: true });
  expect((await later).at(-1)?.data).toMatchObject({ type: "done", stopReason: "cancelled" });
  expect(await own.events("agents.follow", { params })).toEqual([]);
  expect((await following).at(-1)?.data).toMatchObject({ type: "done", stopReason: "cancelled" });
});

test("[I11] an agent is added, started, changed while it runs and removed over HTTP; its chat stays", async () => {
  const daemon = await testDaemon({});
  const own = asking(daemon);
  const { command, args } = smallAgent();
  const params = { name: "mara" };
  const saved = await own.call("agents.save", { params, body: { command, args, permissions: "deny" } });
  expect(saved).toMatchObject({ name: "mara", from: "added", state: "stopped", isBusy: false });
  const { pid } = await own.call("agents.start", { params });
  const body = { messages: [{ role: "user" as const, content: "hello" }] };
  await daemon.call("chats.add", { params: { key: "agent:mara" }, body });
  const changed = await own.call("agents.save", { params, body: { archetype: "employee" } });
  expect(changed).toMatchObject({ state: "running", archetype: "employee" });
  expect(changed.pid).not.toBe(pid);
  // A change that does not start is kept, and the card says why.
  const broken = await own.call("agents.save", { params, body: { command: "galley-no-such-program" } });
  expect(broken).toMatchObject({ state: "failed", problem: expect.stringContaining("galley-no-such-program") });
  const { agents } = await own.call("agents.list", {});
  expect(agents).toMatchObject([{ name: "mara", problem: expect.stringContaining("installed") }]);
  await own.call("agents.delete", { params });
  expect((await own.call("agents.list", {})).agents).toEqual([]);
  await expect(own.call("agents.get", { params })).rejects.toMatchObject({ code: "NotFound" });
  const { messages } = await daemon.call("chats.transcript", { params: { key: "agent:mara" }, query: {} });
  expect(messages).toMatchObject([{ content: "hello" }]);
});

test("every route of agents was asked for", () => {
  expect([...asked].sort()).toEqual(
    Object.keys(routes)
      .filter((name) => name.startsWith("agents."))
      .sort(),
  );
});
