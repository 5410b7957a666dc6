import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { piLog } from "@galley/engine/testing";
import { afterAll, expect, test } from "vitest";
import { expectAccessible, expectFitsPhone, useStudio } from "./use-studio.ts";

const home = mkdtempSync(join(tmpdir(), "galley-home-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const id = "claude-code:5c1f2a9e-7d40-4b1e-9c55-2f6d1e0a7b31";
const log = readFileSync(fileURLToPath(new URL("../../../examples/agent-log.jsonl", import.meta.url)), "utf8");
const file = join(home, ".claude/projects/-home-ada-boat", `${id.slice("claude-code:".length)}.jsonl`);
for (const [path, text] of [
  [file, log],
  [join(home, ".pi/agent/sessions/--boat--/2026_p1.jsonl"), piLog],
] as const) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
const studio = useStudio({ env: { HOME: home, XDG_CACHE_HOME: home } });

test("check 94: [L3] Logs reads the agents' folders when it is asked to, finds a session and leads to Inspect", async () => {
  const page = await studio.open("/logs");
  await page.getByRole("button", { name: "Look for sessions" }).click();
  await page.getByRole("table", { name: "Sessions of agents" }).waitFor();
  await expect.poll(() => page.getByRole("row").count()).toBe(3);
  await page.getByRole("searchbox").fill("claude-code ferr");
  await expect.poll(() => page.getByRole("row").count()).toBe(2);
  await page.getByRole("button", { name: /^Open / }).click();
  await page.waitForURL(/\/sessions\/claude-code.*\/calls\/\d+$/);
  // What it cost is known although no key for its model is.
  await page
    .getByRole("region", { name: "Reply" })
    .getByText(/tokens out · \$0\.\d/u)
    .waitFor();
  await page.goBack();
  await page.getByRole("table", { name: "Sessions of agents" }).waitFor();
  await page.getByRole("searchbox").fill("timetable");
  const said = page.getByRole("region", { name: "Said in imported sessions" });
  await said.getByTitle(id).waitFor();
  await said.getByText("timetable").first().waitFor();
  await expectAccessible(page);
  await expectFitsPhone(page);
  await page.getByRole("link", { name: "Sunday ferries" }).click();
  await page.waitForURL(/\/calls\/\d+\?entry=/);
  await page.locator("[data-marked]").getByText("timetable").first().waitFor();
});

test("[L3] a session that is followed grows while the agent works", async () => {
  await studio.daemon.ask("logs.open", { params: { id } });
  const { calls } = await studio.daemon.ask("sessions.get", { params: { id } });
  const page = await studio.open(`/sessions/${encodeURIComponent(id)}/calls/${calls.length}?follow=1`);
  await page.getByRole("switch", { name: "Follow" }).waitFor();
  // With the list of calls comes what it means that this one is the newest.
  await page.getByRole("link", { name: "Compare with the call before" }).waitFor();
  const sessionId = id.slice("claude-code:".length);
  let parentUuid: string | undefined;
  const add = (uuid: string, type: string, content: unknown): void => {
    const message = { id: uuid, role: type, content };
    const record = { type, uuid, parentUuid, sessionId, timestamp: "2026-03-02T00:00:00Z", message };
    appendFileSync(file, `${JSON.stringify(record)}\n`);
    parentUuid = uuid;
  };
  add("n1", "user", "And the mast?");
  add("n2", "assistant", [{ type: "text", text: "It stands." }]);
  add("n3", "user", "Good.");
  const next = new RegExp(`/calls/${calls.length + 1}\\?follow=1$`);
  await expect.poll(() => page.url()).toMatch(next);
});

test("[R4] [R5] Inspect shows what each compaction lost, with the calls in which names stood and were needed", async () => {
  await studio.daemon.ask("logs.open", { params: { id } });
  const { compactions } = await studio.daemon.ask("sessions.lost", { params: { id } });
  const [loss] = compactions;
  const [name] = loss?.lost ?? [];
  const page = await studio.open(`/sessions/${encodeURIComponent(id)}/calls/1`);
  await page.getByRole("link", { name: "What was lost" }).click();
  await page.getByText(`${loss?.survived} of ${loss?.usedAgain} names survived`).waitFor();
  const row = page.getByRole("row", { name: name?.name ?? "" }).first();
  await row.getByRole("link").last().click();
  await page.waitForURL(new RegExp(`/calls/${name?.neededByCall}$`));
  await page.goBack();
  await row.waitFor();
  await page.getByRole("button", { name: "Measure" }).click();
  const { rows } = await studio.daemon.ask("sessions.retention", { params: { id }, query: { budget: 32_000 } });
  const kept = page.getByRole("table", { name: "How much was still there" });
  await kept.getByRole("row", { name: "as it was" }).waitFor();
  await kept.getByRole("row", { name: `by Galley, 32,000 tokens` }).waitFor();
  const lost = rows[0]?.names.lost ?? 0;
  expect(lost).toBeGreaterThan(0);
  await expectAccessible(page);
  await expectFitsPhone(page);
});

test("[88] [91] a plain session is listed by its title, and deleted after a question", async () => {
  const page = await studio.open("/sessions");
  const names = (): Promise<readonly string[]> => page.getByRole("rowheader").getByRole("link").allInnerTexts();
  const entry = { id: "e1", parentId: null, type: "message" as const, ts: 1 };
  const said = { ...entry, message: { role: "user" as const, content: "Which sea is it?" } };
  await studio.daemon.ask("sessions.import", { params: { id: "sea" }, body: { entries: [said] } });
  await expect.poll(names).toContain("Which sea is it?");
  await page.getByRole("button", { name: "Actions for Which sea is it?" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await expect.poll(names).not.toContain("Which sea is it?");
});
