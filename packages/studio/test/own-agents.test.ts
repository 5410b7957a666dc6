import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { startDaemon } from "./start-daemon.ts";
import { axeProblems, expectAccessible, expectFitsPhone, useStudio } from "./use-studio.ts";

const bin = mkdtempSync(join(tmpdir(), "galley-programs-"));
afterAll(() => rmSync(bin, { recursive: true, force: true }));
const echo = fileURLToPath(new URL("../../../examples/agent/echo-agent.ts", import.meta.url));
const small = fileURLToPath(new URL("../../host/src/agents/testing/small-agent.ts", import.meta.url));

/** A program in PATH, under the name of one that Galley knows. */
function install(name: string, line: string): void {
  writeFileSync(join(bin, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
}

install("claude-agent-acp", `exec "${process.execPath}" "${echo}"`);
install("gemini", 'echo "Please log in first." >&2; exit 3');
install("opencode", `SMALL_AGENT=wait-for-cancel exec "${process.execPath}" "${small}"`);
const env = { PATH: `${bin}:${process.env["PATH"] ?? ""}` };
const studio = useStudio({ env });

/** Adds an agent of a known program as a person does, by typing. */
async function addKnown(page: Page, program: string, name: string): Promise<void> {
  await page.getByRole("button", { name: "Add an agent" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Program" }).click();
  await page.getByRole("option", { name: program }).click();
  const box = dialog.getByRole("textbox", { name: "Name" });
  await box.fill("");
  await box.click();
  await page.keyboard.type(name);
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.waitForURL(`**/agents/${name}`);
}

async function say(page: Page, words: string): Promise<void> {
  await page.getByRole("textbox", { name: "Say something to it" }).click();
  await page.keyboard.type(words);
  await page.keyboard.press("Enter");
}

const conversation = (page: Page) => page.getByRole("region", { name: "Conversation" });

test("check 61: an agent that is installed is added by typing, and what is said stays over reload and restart", async () => {
  const daemon = await startDaemon({ env });
  onTestFinished(() => daemon.stop());
  const page = await studio.open("/agents", { daemon, expects: ["daemon away"] });
  await addKnown(page, "Claude Code", "mara");
  await page.getByRole("button", { name: "Start mara" }).click();
  await page.getByText("running", { exact: true }).waitFor();
  await say(page, "The harbour code is 4711.");
  const answer = conversation(page).getByRole("article").nth(1);
  await answer.getByText("4711").first().waitFor();
  await page.reload();
  await answer.getByText("4711").first().waitFor();
  await expect.poll(async () => (await daemon.ask("agents.list")).agents[0]?.isBusy).toBe(false);
  await daemon.end("SIGTERM");
  const again = await startDaemon({ env, data: daemon.data });
  onTestFinished(() => again.stop());
  await page.goto(`${again.url}/agents/mara`);
  await answer.getByText("4711").first().waitFor();
  await page.getByText("stopped", { exact: true }).waitFor();
  // A context is put away and brought back, as in chats.
  await page.getByRole("button", { name: "New context" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox").first().click();
  await page.keyboard.type("Harbour");
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });
  await conversation(page).getByText("Nothing was said to it yet.").waitFor();
  const kept = page.getByRole("region", { name: "Contexts" }).getByText("Harbour");
  await expect.poll(() => kept.count()).toBe(1);
});

test("check 62: a command of one's own takes the code that the terminal prints; then it is changed and removed", async () => {
  const page = await studio.open("/agents", { expects: ["forbidden", "not found"] });
  await page.getByRole("button", { name: "Add an agent" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Program" }).click();
  await page.getByRole("option", { name: "A command of your own" }).click();
  await dialog.getByRole("textbox", { name: "Command" }).click();
  await page.keyboard.type(process.execPath);
  await dialog.getByRole("textbox", { name: "Arguments" }).fill(echo);
  await dialog.getByRole("textbox", { name: "Name" }).fill("mine");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("a page alone must not").waitFor();
  const code = (): string | undefined => /echo-agent\.ts".*: (\d{6})\n/.exec(studio.daemon.said())?.[1];
  await expect.poll(code).toBeDefined();
  await dialog.getByRole("textbox", { name: "Code" }).click();
  await page.keyboard.type(code() ?? "");
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Start mine" }).click();
  await page.getByText("running", { exact: true }).waitFor();
  // Changed while it runs: no code, because nothing is started that was not confirmed.
  await page.getByRole("button", { name: "Change mine" }).click();
  await dialog.getByRole("button", { name: "Archetype" }).click();
  await page.getByRole("option", { name: /^repo/ }).click();
  await dialog.getByRole("checkbox", { name: "canvas" }).click({ force: true });
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  const state = async () => {
    const { archetype, state: now, declared } = await studio.daemon.ask("agents.get", { params: { name: "mine" } });
    return { archetype, now, without: declared.withoutProviders };
  };
  await expect.poll(state).toEqual({ archetype: "repo", now: "running", without: ["canvas"] });
  await page.getByRole("button", { name: "Remove mine" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
  await page.waitForURL("**/agents");
  await expect.poll(() => page.getByRole("article", { name: "mine" }).count()).toBe(0);
});

test("check 63: an agent that does not start says why on its card, until it does", async () => {
  const page = await studio.open("/agents", { expects: ["agent failed"] });
  await addKnown(page, "Gemini CLI", "nell");
  await page.getByRole("button", { name: "Start nell" }).click();
  await page.getByRole("alert").getByText("Please log in first.").waitFor();
  await page.getByRole("link", { name: "All agents" }).click();
  const card = page.getByRole("article", { name: "nell" });
  await card.getByRole("alert").getByText("Please log in first.").waitFor();
  await card.getByText("failed", { exact: true }).waitFor();
  expect(await axeProblems(page)).toEqual([]);
  await studio.daemon.ask("agents.delete", { params: { name: "nell" } });
  await expect.poll(() => card.count()).toBe(0);
});

test("check 64: a prompt under way is there again after a reload, and can be stopped", async () => {
  const page = await studio.open("/agents");
  await addKnown(page, "OpenCode", "oona");
  await page.getByRole("button", { name: "Start oona" }).click();
  await page.getByText("running", { exact: true }).waitFor();
  await say(page, "Wait for me.");
  await page.getByRole("button", { name: "Stop", exact: true }).waitFor();
  await page.reload();
  await conversation(page).getByText("Wait for me.").waitFor();
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await expect
    .poll(async () => (await studio.daemon.ask("agents.list")).agents.some(({ isBusy }) => isBusy))
    .toBe(false);
  await page.getByRole("button", { name: "Send" }).waitFor();
});

test("axe finds nothing on the page of an agent and in its dialog, in both languages, and 390 px are enough", async () => {
  await studio.daemon.ask("agents.save", { params: { name: "kim" }, body: { program: "claude-code" } });
  const page = await studio.open("/agents/kim");
  await page.getByText("core-identity").first().waitFor();
  await expectFitsPhone(page);
  await page.getByRole("button", { name: "Change kim" }).click();
  await page.getByRole("dialog").getByText("Files of its own").click();
  await expectFitsPhone(page);
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await expectAccessible(page);
});
