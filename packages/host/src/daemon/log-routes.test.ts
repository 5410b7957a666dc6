import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { claudeLog, codexLog } from "@galley/engine/testing";
import { expect, test } from "vitest";
import { type TestDaemon, send, testDaemon, testFolder } from "./testing/temp-daemon.ts";

const used = {
  type: "assistant",
  uuid: "z",
  parentUuid: "a5",
  sessionId: "s1",
  timestamp: "2026-01-01T00:00:09Z",
  message: { id: "m9", role: "assistant", content: [{ type: "text", text: "I read src/hull.ts again." }] },
};

/** A daemon of somebody who uses Claude Code. */
async function daemonAtHome(): Promise<{ readonly own: TestDaemon; readonly file: string }> {
  const home = testFolder();
  const file = join(home, ".claude/projects/-home-ada-boat/s1.jsonl");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, claudeLog);
  const environment = { HOME: home, XDG_CACHE_HOME: home };
  return { own: await testDaemon({ galley: { environment } }), file };
}

test("[L3] [R4] [R5] a session of an agent is listed, opened and inspected, with what its compaction lost and kept", async () => {
  const { own, file } = await daemonAtHome();
  appendFileSync(file, `${JSON.stringify(used)}\n`);
  const id = "claude-code:s1";
  expect((await own.call("logs.list", { query: {} })).logs).toMatchObject([
    { id, agent: "claude-code", title: "The hull", isStored: false, file, compactions: 1 },
  ]);
  const opened = await own.call("logs.open", { params: { id } });
  expect(opened.sessions.map((session) => [session.id, session.added])).toEqual([
    [id, 8],
    ["claude-code:s1/agent-bolts", 2],
  ]);
  expect((await own.call("logs.list", { query: { read: "all" } })).logs).toMatchObject([{ id, isStored: true }]);
  const { calls } = await own.call("sessions.get", { params: { id } });
  const last = calls.at(-1)?.n;
  // The newest one too, and those before a compaction: the log has them.
  const replies = calls.map(async ({ n }) => (await own.call("sessions.call", { params: { id, n } })).reply?.role);
  expect(new Set(await Promise.all(replies))).toEqual(new Set(["assistant"]));
  expect(await own.call("sessions.lost", { params: { id } })).toMatchObject({
    compactions: [
      {
        by: "claude-code",
        usedAgain: 1,
        survived: 0,
        lost: [{ name: "src/hull.ts", stoodInCall: 1, neededBy: "z", neededByCall: last, uses: 1 }],
      },
    ],
  });
  expect(await own.call("sessions.lost", { params: { id: "chat:demo" } })).toEqual({ compactions: [] });
  const seenIn = async (entry: string) => (await own.call("sessions.entryCall", { params: { id, entry } })).n;
  const { entries } = await own.call("sessions.entries", { params: { id } });
  const [first] = entries.map((entry) => entry["id"]);
  expect([await seenIn(first ?? ""), await seenIn("z"), await seenIn("none")]).toEqual([1, last, null]);
  const { rows } = await own.call("sessions.retention", { params: { id }, query: { budget: 8000 } });
  expect(rows).toMatchObject([
    { budget: null, calls: 4, names: { lost: 1 } },
    { budget: 8000, calls: 4, names: { lost: 0 } },
  ]);
  expect((await own.call("sessions.retention", { params: { id: "chat:demo" }, query: {} })).rows).toHaveLength(2);
  const tiny = { params: { id }, query: { budget: 3 } };
  expect((await own.answer("sessions.retention", tiny)).status).toBe(400);
  expect((await own.answer("logs.open", { params: { id: "codex:none" } })).status).toBe(404);
});

test("[L3] a session is followed for as long as its stream is read, and everybody is told that it grows", async () => {
  const { own, file } = await daemonAtHome();
  const params = { id: "claude-code:s1" };
  const open = Promise.withResolvers<void>();
  const isChange = ({ type }: { readonly type: string }): boolean => type === "session:changed";
  const told = own.events("events.follow", {}, { isEnough: isChange, onOpen: open.resolve });
  await open.promise;
  let steps = 0;
  const followed = own.events(
    "logs.follow",
    { params },
    {
      isEnough: () => {
        steps += 1;
        if (steps === 1)
          appendFileSync(file, `${JSON.stringify(used)}\n${JSON.stringify({ ...used, type: "user", uuid: "y" })}\n`);
        return steps === 2;
      },
    },
  );
  expect((await followed).every(({ data }) => data.file === file && data.added > 0)).toBe(true);
  expect((await told).some(({ data }) => data.subject === params.id)).toBe(true);
  const { entries } = await own.call("sessions.entries", { params });
  expect(entries.map((entry) => entry["id"])).toContain("y");
});

test("[L1] a log is uploaded as it is, in any size, and says what became of it", async () => {
  const { own } = await daemonAtHome();
  const upload = async (query: string, body: string, headers = {}) => {
    const answer = await send(`${own.url}/api/logs?${query}`, {
      method: "POST",
      headers: { authorization: `Bearer ${own.token}`, "content-type": "application/octet-stream", ...headers },
      body,
    });
    return { status: answer.status, body: JSON.parse(answer.text) as Record<string, unknown> };
  };
  expect(await upload("name=rollout", codexLog)).toMatchObject({
    status: 200,
    body: { format: "codex", sessions: [{ id: "codex:c1", counts: { calls: 2 } }], damaged: 0, isTorn: false },
  });
  // A text as long as this is refused in a document.
  const long = JSON.stringify({
    type: "response_item",
    timestamp: 0,
    payload: { type: "message", role: "user", content: "x".repeat(5_000_000) },
  });
  expect(await upload("name=rollout", `${codexLog}${long}\n`)).toMatchObject({ body: { sessions: [{ added: 1 }] } });
  expect(await upload("name=x", "# aider chat started at 2026\n")).toMatchObject({
    status: 422,
    body: { code: "ImportFailed", message: expect.stringContaining("aider") as string },
  });
  expect((await upload("name=x&as=nothing", codexLog)).status).toBe(400);
  expect((await upload("name=x", codexLog, { "content-encoding": "gzip" })).status).toBe(415);
});
