import type { Locator, Page } from "playwright";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { startCuttingProxy } from "./cutting-proxy.ts";
import { type Daemon, startDaemon } from "./start-daemon.ts";
import { startStubProvider } from "./stub-provider.ts";
import { answerFirst, isFocused, useStudio } from "./use-studio.ts";

// What a page says of a message when the daemon does not, or cannot, acknowledge it.

const stub = await startStubProvider();
const args = ["--config", stub.configFolder];
const studio = useStudio({ args });
afterAll(() => stub.stop());

const conversation = (page: Page): Locator => page.getByRole("region", { name: "Conversation" });
const said = (page: Page): Locator => conversation(page).locator('article[data-role="user"]');
const box = (page: Page): Locator => page.getByRole("textbox", { name: "Message", exact: true });
const run = (page: Page, status: string): Locator => conversation(page).locator(`[data-run="${status}"]`);

async function say(page: Page, text: string): Promise<void> {
  await box(page).click();
  await page.keyboard.type(text);
  await page.keyboard.press("Enter");
}

/** A daemon that only this test uses, because it is killed. */
async function openDoomed(path: string): Promise<{ page: Page; daemon: Daemon }> {
  const daemon = await startDaemon({ args });
  onTestFinished(daemon.stop);
  await daemon.ask("chats.settings", { params: { key: "doomed" }, body: { model: stub.model } });
  return { daemon, page: await studio.open(path, { expects: ["daemon away"], daemon }) };
}

/** Lets the page's clock run ahead until something is seen: a page that is cut off asks again with pauses of seconds. */
async function waitAhead(page: Page, seen: Locator): Promise<void> {
  while (!(await seen.isVisible())) await page.clock.fastForward(1000);
}

/** The texts of a chat, as the daemon has them. */
async function texts(daemon: Daemon, key: string): Promise<readonly unknown[]> {
  const { messages } = await daemon.ask("chats.transcript", { params: { key } });
  return messages.map(({ content }) => content);
}

test("check 30: [W10] sent to a daemon that is gone, a message waits in its box, nothing claims it, and it is sent once when a person says so", async () => {
  const { page, daemon } = await openDoomed("/chats/doomed");
  await box(page).click();
  await page.keyboard.type("Where is the tax?");
  await daemon.end("SIGKILL");
  await page.keyboard.press("Enter");
  const failed = page.locator('[data-run="failed"]');
  await expect.poll(() => failed.innerText()).toContain("Not sent. What you wrote is in its box again.");
  await expect.poll(() => failed.innerText()).not.toContain("transcript");
  await expect.poll(() => page.locator('article[data-role="user"]').count()).toBe(0);
  await expect.poll(() => box(page).inputValue()).toBe("Where is the tax?");
  await expect.poll(() => isFocused(box(page))).toBe(true);
  // Sent once more in vain, it is not doubled; what is written meanwhile stays.
  await page.keyboard.press("Enter");
  await page.keyboard.type("And the toll?");
  await expect.poll(() => box(page).inputValue()).toBe("Where is the tax?\n\nAnd the toll?");
  await page.getByRole("button", { name: "切换到中文" }).click();
  await expect.poll(() => failed.innerText()).toContain("未发送。您写的内容已放回输入框。");
  await expect.poll(() => failed.innerText()).not.toContain("记录中");
  const again = await startDaemon({ args, data: daemon.data });
  onTestFinished(again.stop);
  await expect.poll(() => texts(again, "doomed")).toEqual([]);
  await page.getByRole("textbox", { name: "消息", exact: true }).press("Enter");
  await stub.say("Both are low.");
  await stub.end();
  await expect.poll(() => texts(again, "doomed")).toEqual(["Where is the tax?\n\nAnd the toll?", "Both are low."]);
});

test("[W10] a daemon that is killed while it answers: what it had taken is said, no more than that, and read on later", async () => {
  const { page, daemon } = await openDoomed("/chats/doomed");
  await say(page, "Where is the tax?");
  await stub.say("It lives ");
  await expect.poll(() => run(page, "running").innerText()).toContain("It lives");
  await page.clock.install();
  await daemon.end("SIGKILL");
  await waitAhead(page, run(page, "failed"));
  await expect.poll(() => run(page, "failed").innerText()).toContain("The connection broke off.");
  await expect.poll(() => conversation(page).innerText()).not.toContain("transcript");
  await expect.poll(() => box(page).inputValue()).toBe("");
  await expect.poll(() => said(page).innerText()).toContain("Where is the tax?");
  const again = await startDaemon({ args, data: daemon.data });
  onTestFinished(again.stop);
  await stub.say("It lives in parliament.");
  await stub.end();
  await expect.poll(() => conversation(page).locator("[data-run]").count()).toBe(0);
  await expect.poll(() => texts(again, "doomed")).toEqual(["Where is the tax?", "It lives in parliament."]);
});

test("[W10] a daemon that is closed while it answers hands the run back: nothing says that it was stopped for good", async () => {
  const { page, daemon } = await openDoomed("/chats/doomed");
  await say(page, "Where is the tax?");
  await stub.say("It lives ");
  await expect.poll(() => run(page, "running").innerText()).toContain("It lives");
  await daemon.end("SIGTERM");
  const again = await startDaemon({ args, data: daemon.data });
  onTestFinished(again.stop);
  await stub.say("It lives in parliament.");
  await expect.poll(() => conversation(page).innerText()).not.toContain("transcript");
  await stub.end();
  await expect.poll(() => conversation(page).locator("[data-run]").count()).toBe(0);
  await expect.poll(() => conversation(page).innerText()).toContain("It lives in parliament.");
  await expect.poll(() => texts(again, "doomed")).toEqual(["Where is the tax?", "It lives in parliament."]);
});

test("[W10] what became of a run that was out of reach for long is shown once the daemon answers", async () => {
  const proxy = await startCuttingProxy(studio.daemon.url);
  onTestFinished(proxy.stop);
  await studio.daemon.ask("chats.settings", { params: { key: "long" }, body: { model: stub.model } });
  const page = await studio.open("/", { expects: ["daemon away"] });
  await page.goto(`${proxy.url}/chats/long`);
  await say(page, "Where is the tax?");
  await stub.say("It lives ");
  await expect.poll(() => run(page, "running").innerText()).toContain("It lives");
  let isAway = true;
  await page.route("**/api/**", (route) => (isAway ? route.abort("connectionrefused") : route.continue()));
  await page.clock.install();
  proxy.cut();
  await waitAhead(page, run(page, "failed"));
  await stub.say("in parliament.");
  await stub.end();
  isAway = false;
  await page.getByRole("button", { name: "Try again" }).first().click();
  await expect.poll(() => conversation(page).locator("[data-run]").count()).toBe(0);
  await expect.poll(() => conversation(page).innerText()).toContain("It lives in parliament.");
  await expect.poll(() => texts(studio.daemon, "long")).toHaveLength(2);
});

test("[W10] the answer is lost and the request is not: the reply is read on, and nothing is said twice", async () => {
  const proxy = await startCuttingProxy(studio.daemon.url);
  onTestFinished(proxy.stop);
  await studio.daemon.ask("chats.settings", { params: { key: "unheard" }, body: { model: stub.model } });
  const page = await studio.open("/", { expects: ["daemon away"] });
  await page.goto(`${proxy.url}/chats/unheard`);
  proxy.loseAnswers("/api/runs");
  await say(page, "Where is the tax?");
  await stub.say("In parliament.");
  await expect.poll(() => run(page, "running").innerText()).toContain("In parliament.");
  await expect.poll(() => box(page).inputValue()).toBe("");
  await stub.end();
  await expect.poll(() => conversation(page).locator("[data-run]").count()).toBe(0);
  await expect.poll(() => texts(studio.daemon, "unheard")).toEqual(["Where is the tax?", "In parliament."]);
});

test("[W10] what was put back although the daemon has it is not said twice when it is sent again", async () => {
  const proxy = await startCuttingProxy(studio.daemon.url);
  onTestFinished(proxy.stop);
  const page = await studio.open("/", { expects: ["daemon away"] });
  await page.goto(`${proxy.url}/chats/twice`);
  await answerFirst(page, "**/api/runs/*/events", (route) => route.abort("connectionrefused"));
  const answerAgain = proxy.loseAnswers("/api/runs");
  await say(page, "Once only.");
  await expect.poll(() => box(page).inputValue()).toBe("Once only.");
  answerAgain();
  await expect.poll(() => texts(studio.daemon, "twice")).toHaveLength(2);
  await page.keyboard.press("Enter");
  await expect.poll(() => box(page).inputValue()).toBe("");
  await expect.poll(() => conversation(page).locator("[data-run]").count()).toBe(0);
  await expect.poll(() => texts(studio.daemon, "twice")).toHaveLength(2);
});

test("a message that is refused is still there when another page's run begins", async () => {
  const page = await studio.open("/chats/refused", { expects: ["too large"] });
  const large = "x".repeat(2_200_000);
  await box(page).fill(large);
  await box(page).press("Enter");
  await expect.poll(() => run(page, "failed").innerText()).toContain("Not sent.");
  await studio.daemon.ask("chats.settings", { params: { key: "refused" }, body: { model: stub.model } });
  const other = studio.daemon.ask("runs.start", { body: { chat: "refused", input: "from another page" } });
  await stub.say("Yes.");
  await expect.poll(() => run(page, "running").innerText()).toContain("Yes.");
  expect((await box(page).inputValue()).length).toBe(large.length);
  await stub.end();
  await other;
});

test("an edit that does not reach the daemon is in its editor again", async () => {
  const { page, daemon } = await openDoomed("/chats/edited");
  await say(page, "one");
  await expect.poll(() => conversation(page).locator('article[data-role="assistant"]').count()).toBe(1);
  await said(page).getByRole("button", { name: "Edit" }).click();
  const editor = page.getByRole("textbox", { name: "Say it differently" });
  await editor.click();
  await page.keyboard.type(" and two");
  await daemon.end("SIGKILL");
  await page.getByRole("button", { name: "Save and regenerate" }).click();
  await expect.poll(() => run(page, "failed").innerText()).toContain("Not sent.");
  await expect.poll(() => editor.inputValue()).toBe("one and two");
});

test("Stop ends a run that waits behind another page's, at once; its message is in the transcript", async () => {
  await studio.daemon.ask("chats.settings", { params: { key: "queue" }, body: { model: stub.model } });
  const page = await studio.open("/chats/queue");
  // This page does not hear of the other run, or it would show that one and wait.
  await page.route("**/api/runs?*status=running*", (route) => route.fulfill({ json: { runs: [] } }));
  await page.reload();
  await box(page).waitFor();
  const other = studio.daemon.ask("runs.start", { body: { chat: "queue", input: "first" } });
  await stub.say("So");
  await say(page, "second");
  await run(page, "starting").waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  await expect.poll(() => run(page, "aborted").innerText()).toContain("Stopped. Your message is in the transcript.");
  await expect.poll(() => texts(studio.daemon, "queue")).toEqual(["second"]);
  expect(stub.listeners()).toBe(1);
  await stub.end();
  await other;
});
