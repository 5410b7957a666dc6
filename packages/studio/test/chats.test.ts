import { execFileSync } from "node:child_process";
import type { Locator, Page } from "playwright";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { launcher } from "../../../scripts/launcher.ts";
import { startCuttingProxy } from "./cutting-proxy.ts";
import { startStubProvider } from "./stub-provider.ts";
import { expectAccessible, isFocused, settle, sidewaysScroll, useStudio } from "./use-studio.ts";

// The demo model says everything at once; this one speaks when it is told to.
const stub = await startStubProvider();
const studio = useStudio({ args: ["--config", stub.configFolder] });
afterAll(() => stub.stop());

const conversation = (page: Page): Locator => page.getByRole("region", { name: "Conversation" });
const messages = (page: Page, role: "user" | "assistant"): Locator =>
  conversation(page).locator(`article[data-role="${role}"]`);
const box = (page: Page): Locator => page.getByRole("textbox", { name: "Message", exact: true });

async function say(page: Page, text: string): Promise<void> {
  await box(page).fill(text);
  await box(page).press("Enter");
}

/** Waits until nothing runs and this many replies stand there; what runs or has failed is told where that does not come. */
async function replies(page: Page, count: number): Promise<void> {
  const seen = async (): Promise<object> => ({
    replies: await messages(page, "assistant").count(),
    runs: await conversation(page).locator("[data-run]").allInnerTexts(),
  });
  await expect.poll(seen).toEqual({ replies: count, runs: [] });
}

test("check 25: a turn run from the chat box appears in Inspect with the same digest", async () => {
  const page = await studio.open("/chats/tax");
  await say(page, "飞艇的煤油税怎么计算？");
  await replies(page, 1);
  await expect.poll(() => messages(page, "assistant").innerText()).toContain("您说：“飞艇的煤油税怎么计算？”");
  const link = messages(page, "assistant").getByRole("link", { name: "Inspect call 1" });
  const digest = await link.getAttribute("data-digest");
  expect(digest).toMatch(/^[0-9a-f]{64}$/);
  await link.click();
  await expect.poll(() => page.locator("dl [data-digest]").getAttribute("data-digest")).toBe(digest);
  await expect.poll(() => page.locator("article", { hasText: "飞艇的煤油税怎么计算？" }).count()).toBe(1);
  const { digest: recorded } = await studio.daemon.ask("sessions.call", { params: { id: "chat:tax", n: 1 } });
  expect(recorded).toBe(digest);
  await page.getByRole("tab", { name: "Raw" }).click();
  await expect.poll(() => page.getByText("no request went out").count()).toBe(1);
});

/** A chat that uses the model of the stub. */
async function openStubbed(chat: string): Promise<Page> {
  await studio.daemon.ask("chats.settings", { params: { key: chat }, body: { model: stub.model } });
  return studio.open(`/chats/${chat}`);
}

test("what the model says shows while it comes, and a run under way is there again after a reload", async () => {
  const page = await openStubbed("stream");
  await say(page, "Where is the tax?");
  const running = conversation(page).locator('[data-run="running"]');
  await stub.say("It lives ");
  await expect.poll(() => running.innerText()).toContain("It lives");
  await stub.say("in parliament");
  await expect.poll(() => running.innerText()).toContain("It lives in parliament");
  await page.reload();
  await expect.poll(() => running.innerText()).toContain("It lives in parliament");
  await stub.say("/tax.ts.");
  await expect.poll(() => running.innerText()).toContain("It lives in parliament/tax.ts.");
  await stub.end();
  await replies(page, 1);
  await expect.poll(() => messages(page, "assistant").innerText()).toContain("It lives in parliament/tax.ts.");
});

test("a reply whose connection breaks is read on; nothing has failed, and nothing is said twice", async () => {
  const proxy = await startCuttingProxy(studio.daemon.url);
  onTestFinished(proxy.stop);
  await studio.daemon.ask("chats.settings", { params: { key: "cut" }, body: { model: stub.model } });
  const page = await studio.open("/", { expects: ["daemon away"] });
  await page.goto(`${proxy.url}/chats/cut`);
  await say(page, "Where is the tax?");
  const running = conversation(page).locator('[data-run="running"]');
  await stub.say("It lives ");
  await expect.poll(() => running.innerText()).toContain("It lives");
  proxy.cut();
  await stub.say("in parliament.");
  await expect.poll(() => running.innerText()).toContain("It lives in parliament.");
  await expect.poll(() => messages(page, "user").allInnerTexts()).toHaveLength(1);
  await stub.end();
  await replies(page, 1);
});

test("checks 15, 33, in Inspect: the raw request is, byte for byte, what the provider received; a count that it reports otherwise is not exact", async () => {
  const page = await openStubbed("raw");
  await say(page, "煤油 <b>&amp;</b> \u2028 tax?");
  await stub.say("In parliament.");
  await stub.end();
  await replies(page, 1);
  await messages(page, "assistant").getByRole("link", { name: "Inspect call 1" }).click();
  await page.getByRole("tab", { name: "Raw" }).click();
  await page.getByRole("searchbox", { name: "Search keys and values" }).pressSequentially("煤油");
  await expect
    .poll(() => page.getByRole("region", { name: "Raw" }).innerText())
    .toMatch(/messages\[\d\]\.content.*煤油/);
  await page.getByRole("button", { name: "As text" }).click();
  await expect.poll(() => page.getByRole("textbox", { name: "Raw" }).inputValue()).toBe(stub.bodies.at(-1));
  await page.getByRole("button", { name: "Copy the request" }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(stub.bodies.at(-1));
  await expect.poll(() => page.locator("dl").first().innerText()).toMatch(/^(?!.*exact).*our count differs by/s);
});

test("check 93: Stop ends a run at the provider too; question and partial answer stay, marked and once, and the box has the focus", async () => {
  const page = await openStubbed("stop");
  await say(page, "Talk for ever");
  await stub.say("So");
  await expect.poll(() => conversation(page).locator('[data-run="running"]').innerText()).toContain("So");
  await page.getByRole("button", { name: "Stop" }).click();
  await conversation(page).getByText("Stopped here").waitFor();
  await messages(page, "assistant").getByRole("link", { name: "Inspect call 1" }).waitFor();
  await expect.poll(() => stub.listeners()).toBe(0);
  await replies(page, 1);
  await expect.poll(() => isFocused(box(page))).toBe(true);
  await page.getByRole("button", { name: "Transcript" }).click();
  await page.getByRole("region", { name: "Transcript" }).getByText("Talk for ever").waitFor();
  await say(page, "still there?");
  await stub.say("Yes.");
  await stub.end();
  // [T17] What was said before the stop stays, and the answer follows it.
  await replies(page, 2);
});

test("[W3, W4, A7] a new context with a note by button, search, and the old one loaded again", async () => {
  const page = await studio.open("/chats/contexts");
  await say(page, "The airship tax is paid in kerosene 煤油.");
  await replies(page, 1);
  await page.getByRole("button", { name: "New context" }).click();
  await page.getByRole("textbox", { name: "Title of what is put away" }).fill("Kerosene");
  await page.getByRole("textbox", { name: "Note" }).fill("Ask the harbour master.");
  await page.getByRole("button", { name: "Start" }).click();
  await replies(page, 0);
  const contexts = page.getByRole("region", { name: "Contexts" });
  await expect.poll(() => contexts.locator("article").count()).toBe(1);
  await expect.poll(() => contexts.locator("article").innerText()).toContain("Ask the harbour master.");
  await contexts.getByRole("link", { name: "Kerosene" }).click();
  await expect.poll(() => page.getByRole("region", { name: "Kerosene" }).innerText()).toContain("Note");
  await page.getByRole("link", { name: "Back" }).click();
  await say(page, "Something else.");
  await replies(page, 1);
  // What can be said next names what there is, and stays in its place while something is typed.
  const next = page.getByRole("button", { name: "back to Kerosene" });
  await next.waitFor();
  await box(page).fill("Some");
  await expect.poll(() => next.count()).toBe(1);
  await box(page).fill("");
  const search = page.getByRole("searchbox", { name: "Search archived contexts" });
  await search.fill("煤油");
  await expect.poll(() => contexts.locator("article").innerText()).toContain("Kerosene");
  await search.fill("no such thing");
  await expect.poll(() => contexts.innerText()).toContain("Nothing matches.");
  await search.fill("");
  await contexts.getByRole("button", { name: "More: Kerosene" }).click();
  await page.getByRole("menuitem", { name: "Load whole" }).click();
  await expect.poll(() => messages(page, "user").innerText()).toContain("kerosene 煤油");
  await expect.poll(() => contexts.locator("article").count()).toBe(2);
});

test("[W11] the model switches contexts by itself, and the page shows the call and the switch", async () => {
  const page = await studio.open("/chats/switches");
  await say(page, "The airship tax is low.");
  await replies(page, 1);
  await say(page, "new topic: balloons");
  await expect.poll(() => page.getByRole("region", { name: "Contexts" }).locator("article").count()).toBe(1);
  await replies(page, 1);
  await messages(page, "assistant").locator("summary", { hasText: "2 steps" }).click();
  await expect.poll(() => conversation(page).locator('[data-tool="chat_context_new"]').count()).toBe(1);
  await expect.poll(() => conversation(page).locator("[data-switched]").innerText()).toContain("chat_context_new");
  await say(page, "back to airship tax");
  await expect.poll(() => messages(page, "user").first().innerText()).toContain("tax is low");
});

test("check 68: [M6] a reply is regenerated, and a message is edited", async () => {
  const page = await studio.open("/chats/again");
  await say(page, "one");
  await replies(page, 1);
  await say(page, "two");
  await replies(page, 2);
  await messages(page, "assistant").last().getByRole("button", { name: "Regenerate" }).press("Enter");
  await expect.poll(() => messages(page, "assistant").last().innerText()).toContain("Inspect call 3");
  await replies(page, 2);
  await expect.poll(() => isFocused(box(page))).toBe(true);
  await messages(page, "user").first().getByRole("button", { name: "Edit" }).press("Enter");
  await expect.poll(() => isFocused(page.getByRole("textbox", { name: "Say it differently" }))).toBe(true);
  await page.keyboard.type("three");
  await page.getByRole("button", { name: "Save and regenerate" }).press("Enter");
  await expect.poll(() => isFocused(box(page))).toBe(true);
  await replies(page, 1);
  await expect.poll(() => messages(page, "assistant").innerText()).toMatch(/You said: “\w*three/u);
});

test("check 27: [T13] arrows choose among the answers to the last question, and the next call reads the chosen one", async () => {
  const page = await openStubbed("arrows");
  const answer = async (words: string): Promise<void> => {
    await stub.say(words);
    await stub.end();
    await replies(page, 1);
  };
  await say(page, "A number?");
  await answer("One.");
  await messages(page, "assistant").getByRole("button", { name: "Regenerate" }).click();
  await answer("Two.");
  await expect.poll(() => messages(page, "assistant").innerText()).toContain("2/2");
  await messages(page, "assistant").getByRole("button", { name: "Previous answer" }).press("Enter");
  await expect.poll(() => messages(page, "assistant").innerText()).toMatch(/1\/2[\s\S]*One\./);
  await expect.poll(() => isFocused(page.getByRole("button", { name: "Next answer" }))).toBe(true);
  const { messages: active } = await studio.daemon.ask("chats.active", { params: { key: "arrows" } });
  expect(active.map(({ content }) => content)).toEqual(["A number?", "One."]);
});

test("a model that cannot be used says what is missing, and the demo model is one press away", async () => {
  const { models } = await studio.daemon.ask("models.list", {});
  const locked = models.find(({ usable }) => !usable);
  await studio.daemon.ask("chats.settings", { params: { key: "locked" }, body: { model: locked?.id ?? "gpt-5" } });
  const page = await studio.open("/chats/locked");
  await expect.poll(() => conversation(page).innerText()).toContain("cannot be used yet");
  await say(page, "hello");
  const alert = conversation(page).getByRole("alert").filter({ hasText: "What to do" });
  await alert.getByRole("button", { name: "Use the demo model" }).click();
  await replies(page, 1);
  await expect.poll(() => messages(page, "assistant").innerText()).toContain("You said: “hello”");
});

test("contexts are renamed, deleted after a question, and the active one is cleared", async () => {
  const page = await studio.open("/chats/tidy");
  await say(page, "first");
  await replies(page, 1);
  await studio.daemon.ask("chats.new", { params: { key: "tidy" }, body: { title: "Old" } });
  const contexts = page.getByRole("region", { name: "Contexts" });
  await contexts.getByRole("button", { name: "More: Old" }).click();
  await page.getByRole("menuitem", { name: "Rename" }).click();
  await page.getByRole("textbox", { name: "Title of what is put away" }).fill("Older");
  await page.getByRole("button", { name: "Save" }).click();
  await contexts.getByRole("link", { name: "Older" }).click();
  await expect.poll(() => page.getByRole("region", { name: "Older" }).innerText()).toContain("first");
  await page.getByRole("link", { name: "Back to the chat" }).click();
  await say(page, "second");
  await replies(page, 1);
  await page.getByRole("button", { name: "Clear" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Clear" }).click();
  await replies(page, 0);
  await contexts.getByRole("button", { name: "More: Older" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await expect.poll(() => contexts.locator("article").count()).toBe(0);
});

test("what a prompt says is text, never HTML", async () => {
  const page = await studio.open("/chats/html");
  await say(page, '<img src=x onerror="document.title=1"><b>bold</b>');
  await replies(page, 1);
  await expect.poll(() => conversation(page).locator("img, b").count()).toBe(0);
  await expect.poll(() => messages(page, "user").innerText()).toContain("<b>bold</b>");
});

test("an empty chat teaches three things to say, in Chinese as well", async () => {
  const page = await studio.open("/chats/空", { language: "zh" });
  await page.getByRole("button", { name: "新话题：热气球" }).click();
  await expect.poll(() => page.getByRole("textbox", { name: "消息", exact: true }).inputValue()).toBe("新话题：热气球");
  const examples = page.getByRole("listitem").filter({ has: page.getByRole("button") });
  expect(await examples.count()).toBeGreaterThanOrEqual(3);
});

test("a task is handed to a profile by an example, once there is one", async () => {
  const profile = ["profile", "add", "demo", "--text", "You are brief.", "--data", studio.daemon.data];
  execFileSync(process.execPath, [launcher, ...profile]);
  const page = await studio.open("/chats/delegates");
  await page.getByRole("button", { name: "delegate to demo: list three risks" }).click();
  await box(page).press("Enter");
  await replies(page, 1);
  // [A1] A card that fills in, and says whether the model has the result.
  const card = messages(page, "assistant").getByRole("article", { name: "Task for demo" });
  await card.getByText("list three risks").first().waitFor();
  await card.getByText("succeeded").waitFor();
  await card.getByText("The model gets this with your next message.").waitFor();
  await expect.poll(() => card.textContent()).toContain("[demo]");
  await expect.poll(() => conversation(page).textContent()).not.toContain("context_box_id");
  await box(page).fill("Thank you.");
  await box(page).press("Enter");
  await replies(page, 2);
  await card.getByText("The model was told of this.").waitFor();
});

test("checks 20, 21: a chat with its transcript has no fault for axe and does not scroll sideways at 390 px", async () => {
  const page = await studio.open("/chats/switches?transcript=1");
  await settle(page);
  await expectAccessible(page);
  await page.getByRole("button", { name: "Switch to English" }).click();
  await page.setViewportSize({ width: 390, height: 844 });
  await expect.poll(() => sidewaysScroll(page)).toBe(0);
  await box(page).fill("from a phone");
  await page.getByRole("button", { name: "Send" }).click();
  await expect.poll(() => conversation(page).innerText()).toContain("You said: “from a phone”");
});
