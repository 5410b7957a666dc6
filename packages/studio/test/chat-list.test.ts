import type { Locator, Page } from "playwright";
import { expect, test } from "vitest";
import { axeProblems, expectAccessible, useStudio } from "./use-studio.ts";

const studio = useStudio();

const list = (page: Page): Locator => page.getByRole("navigation", { name: "Chats" });
const conversation = (page: Page): Locator => page.getByRole("region", { name: "Conversation" });
const search = (page: Page): Locator => page.getByRole("searchbox", { name: "Search all chats" });

async function say(page: Page, text: string, count: number): Promise<void> {
  const box = page.getByRole("textbox", { name: "Message", exact: true });
  await box.click();
  await page.keyboard.type(text);
  await page.keyboard.press("Enter");
  const seen = async (): Promise<object> => ({
    replies: await conversation(page).locator('article[data-role="assistant"]').count(),
    runs: await conversation(page).locator("[data-run]").count(),
  });
  await expect.poll(seen).toEqual({ replies: count, runs: 0 });
}

/** A chat whose active context is long, and one with an archive. */
async function addChats(): Promise<void> {
  const messages = Array.from({ length: 260 }, (_, index) => ({
    role: index % 2 === 0 ? ("user" as const) : ("assistant" as const),
    content: index === 4 ? "煤油税还要算进去吗？" : `Message ${index} of a long voyage.`,
  }));
  await studio.daemon.ask("chats.add", { params: { key: "long" }, body: { messages } });
  const said = [
    { role: "user" as const, content: "What does mooring cost?" },
    { role: "assistant" as const, content: "The mooring fee is forty marks." },
  ];
  await studio.daemon.ask("chats.add", { params: { key: "fees" }, body: { messages: said } });
  await studio.daemon.ask("chats.new", { params: { key: "fees" }, body: {} });
}

test("check 40: a new chat is named by what is said first, renamed in place, and listed by its title", async () => {
  const page = await studio.open("/chats");
  await page.getByRole("button", { name: "New chat" }).click();
  await page.getByText("New chat", { exact: true }).first().waitFor();
  await say(page, "How far does the Heron fly?", 1);
  await expect
    .poll(() =>
      list(page)
        .getByRole("link", { name: /How far does the Heron fly/ })
        .count(),
    )
    .toBe(1);
  await page.getByRole("button", { name: "Rename the chat" }).click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("Range of the Heron");
  await page.keyboard.press("Enter");
  await expect.poll(() => page.locator("[data-chat-title]").innerText()).toBe("Range of the Heron");
  await list(page)
    .getByRole("link", { name: /^Range of the Heron/ })
    .waitFor();
});

test("check 41: what was said anywhere is found, and a click leads to where it stands", async () => {
  await addChats();
  const page = await studio.open("/chats/long");
  await conversation(page).getByText("Message 259").waitFor();
  await search(page).click();
  await page.keyboard.type("煤油税");
  await list(page)
    .getByRole("link", { name: /煤油税还要算进去吗/ })
    .click();
  // It stands further up than the page has read.
  const hit = conversation(page).locator('[aria-current="true"]');
  await expect.poll(() => hit.innerText()).toContain("煤油税还要算进去吗？");
  await expect.poll(() => hit.evaluate((row) => row.getBoundingClientRect().top > 0)).toBe(true);
  await search(page).fill("mooring forty");
  await list(page)
    .getByRole("link", { name: /mooring fee is forty/ })
    .click();
  await page.getByRole("link", { name: "Back to the chat" }).waitFor();
  await expect.poll(() => page.locator('article[aria-current="true"]').innerText()).toContain("forty marks");
});

test("check 42: a fork begins with the path up to a message, and both chats lead to each other", async () => {
  const page = await studio.open("/chats/voyage");
  await say(page, "One", 1);
  await say(page, "Two", 2);
  const [first] = await conversation(page).locator('article[data-role="assistant"]').all();
  await first?.getByRole("button", { name: "Fork from here" }).click();
  await page.getByText("Forked from").waitFor();
  await expect.poll(() => conversation(page).locator("article").count()).toBe(2);
  await page.getByRole("link", { name: "One", exact: true }).click();
  await expect.poll(() => conversation(page).locator("article").count()).toBe(4);
  await page.getByRole("region", { name: "Forks of this chat" }).getByRole("link").click();
  await expect.poll(() => conversation(page).locator("article").count()).toBe(2);
  await expectAccessible(page);
});

/** Notes in the page how often "Line 1999" stood there twice, if only for a moment. */
function countDoubles(): void {
  const { body } = document;
  body.dataset["doubles"] = "0";
  const look = (): void => {
    const said = [...document.querySelectorAll("p")].filter(({ textContent }) => textContent === "Line 1999");
    if (said.length > 1) body.dataset["doubles"] = String(Number(body.dataset["doubles"]) + 1);
  };
  new MutationObserver(look).observe(body, { subtree: true, childList: true, characterData: true });
}

test("check 90: the fifth of 2,000 messages is found and shown with what was said around it; sending leads back to the end", async () => {
  const lines = Array.from({ length: 2000 }, (_, n) => ({
    role: n % 2 === 0 ? ("user" as const) : ("assistant" as const),
    content: n === 4 ? "The zeppelin is moored at Ely." : `Line ${n}`,
  }));
  await studio.daemon.ask("chats.add", { params: { key: "deep" }, body: { messages: lines } });
  const page = await studio.open("/chats/deep");
  await conversation(page).getByText("Line 1999").waitFor();
  await page.getByRole("searchbox", { name: "Search all chats" }).click();
  await page.keyboard.type("zeppelin Ely");
  await page.getByRole("link", { name: /moored at Ely/ }).click();
  const hit = conversation(page).locator("[aria-current=true]");
  await expect.poll(() => hit.innerText()).toContain("The zeppelin is moored at Ely.");
  expect(await page.evaluate(() => document.querySelectorAll("*").length)).toBeLessThan(5000);
  await page.getByRole("button", { name: "Later", exact: true }).click();
  await conversation(page).getByText("Line 120", { exact: true }).waitFor();
  await page.getByRole("textbox", { name: "Message", exact: true }).click();
  await page.keyboard.type("And now?");
  await page.evaluate(countDoubles);
  await page.keyboard.press("Enter");
  await conversation(page).getByText("[demo]").waitFor();
  await conversation(page).getByText("Line 1999").waitFor();
  expect(new URL(page.url()).search).toBe("");
  // The row of the new reply never says what the reply before said.
  expect(await page.evaluate(() => document.body.dataset["doubles"])).toBe("0");
});

test("checks 43, 67: pictures and text files go with a message by button, paste and drop, and pictures are seen; others are refused by name", async () => {
  const page = await studio.open("/chats/pictures");
  const png = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  );
  const attached = page.getByRole("list", { name: "Goes with the message" });
  await page.setInputFiles("input[type=file]", [
    { name: "dot.png", mimeType: "image/png", buffer: png },
    { name: "tax.md", mimeType: "text/markdown", buffer: Buffer.from("# The kerosene tax") },
    { name: "tool.bin", mimeType: "application/octet-stream", buffer: png },
  ]);
  await page.getByText("tool.bin cannot be sent").waitFor();
  await expect.poll(() => attached.getByRole("listitem").allInnerTexts()).toEqual(["dot.png", "tax.md"]);
  const box = page.getByRole("textbox", { name: "Message", exact: true });
  await box.evaluate((element) => {
    const data = new DataTransfer();
    data.items.add(new File(["pasted"], "pasted.txt", { type: "text/plain" }));
    element.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
    const dropped = new DataTransfer();
    dropped.items.add(new File(["dropped"], "dropped.txt", { type: "text/plain" }));
    // Anywhere on the conversation: a browser would otherwise leave the page and open the file.
    const drop = new DragEvent("drop", { dataTransfer: dropped, bubbles: true, cancelable: true });
    document.querySelector("[data-conversation]")?.dispatchEvent(drop);
    if (!drop.defaultPrevented) throw new Error("The page would be left.");
  });
  await expect.poll(() => attached.getByRole("listitem").count()).toBe(4);
  await attached.getByRole("button", { name: "Remove pasted.txt" }).click();
  await page.reload();
  await expect.poll(() => attached.getByRole("listitem").allInnerTexts()).toEqual(["dot.png", "tax.md", "dropped.txt"]);
  await say(page, "What is this?", 1);
  const { messages } = await studio.daemon.ask("chats.active", { params: { key: "pictures" } });
  expect(messages[0]?.content).toMatchObject([
    { type: "text", text: "What is this?" },
    { type: "file", mediaType: "image/png", filename: "dot.png" },
    { type: "text", text: "tax.md:\n\n# The kerosene tax" },
    { type: "text", text: "dropped.txt:\n\ndropped" },
  ]);
  await expect.poll(() => attached.count()).toBe(0);
  const picture = conversation(page).getByRole("img", { name: "Picture: dot.png" });
  await picture.waitFor();
  // Said differently, it still has what went with it.
  await conversation(page).getByRole("button", { name: "Edit" }).click();
  await conversation(page).getByText("Goes with the message: dot.png, tax.md, dropped.txt").waitFor();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("And in colour?");
  await page.getByRole("button", { name: "Save and regenerate" }).click();
  await conversation(page).getByRole("link", { name: "Inspect call 2" }).waitFor();
  await picture.waitFor();
  const again = await studio.daemon.ask("chats.active", { params: { key: "pictures" } });
  const brought = (messages[0]?.content ?? []) as unknown[];
  expect(again.messages[0]?.content).toEqual([{ type: "text", text: "And in colour?" }, ...brought.slice(1)]);
});

test("check 44: a question whose run failed is still there after a reload, and can be tried again", async () => {
  const params = { key: "tight" };
  await studio.daemon.ask("chats.settings", { params, body: { context: { maxInputTokens: 20, ownTools: "none" } } });
  const page = await studio.open("/chats/tight");
  await page.getByRole("textbox", { name: "Message", exact: true }).click();
  await page.keyboard.type("How much fuel does the Heron need from here to the northern harbour and back again?");
  await page.keyboard.press("Enter");
  const failed = conversation(page).locator('[data-run="failed"]');
  await failed.getByText("ContextOverflow").waitFor();
  // The mark that a run has ended may be written a moment after its end was told.
  const status = async () =>
    (await studio.daemon.ask("runs.list", { query: { chat: "tight", limit: 1 } })).runs[0]?.status;
  await expect.poll(status).toBe("failed");
  await page.reload();
  await failed.getByText("ContextOverflow").waitFor();
  await conversation(page).getByText("How much fuel does the Heron need").waitFor();
  await studio.daemon.ask("chats.settings", { params, body: { unset: ["maxInputTokens"] } });
  await failed.getByRole("button", { name: "Try again" }).click();
  await conversation(page)
    .getByText(/You said: “How much fuel/)
    .waitFor();
  await expect.poll(() => failed.count()).toBe(0);
});

test("check 45: [T3] [T14] the drawer shows the next call by source, switches tools, says what a change costs, and previews a cut", async () => {
  const messages = Array.from({ length: 40 }, (_, index) => ({
    role: index % 2 === 0 ? ("user" as const) : ("assistant" as const),
    content: `Line ${index + 1} of the harbour's ledger. We decided to keep ship-${index}.`,
  }));
  const params = { key: "drawer" };
  await studio.daemon.ask("chats.add", { params, body: { messages } });
  await studio.daemon.ask("chats.settings", { params, body: { context: { maxInputTokens: 2200 } } });
  await studio.daemon.ask("runs.start", { body: { chat: "drawer", model: "demo", input: "Where were we?" } });
  const page = await studio.open("/chats/drawer");
  const drawer = page.getByRole("region", { name: "Contexts" });
  const meter = drawer.locator("[data-fill]");
  // The meter is the next call, to the byte.
  const next = await studio.daemon.ask("turns.look", { body: { chat: "drawer" } });
  await expect.poll(() => meter.getAttribute("data-digest")).toBe(next.digest);
  await expect.poll(() => drawer.innerText()).toContain("The budget is set by the chat.");
  expect(await drawer.getByTestId("target").count()).toBe(1);
  const tokens = async (source: string): Promise<number> =>
    Number(await meter.locator(`[data-source="${source}"]`).getAttribute("data-tokens"));
  const before = await tokens("tools");
  // A tool that is switched off is not paid for; the setting says where that comes from.
  await drawer.locator("summary", { hasText: "Tools (" }).click();
  const list = drawer.getByRole("switch", { name: "chat_context_list" });
  await list.press("Space");
  await expect.poll(() => tokens("tools")).toBeLessThan(before);
  await expect.poll(() => list.isChecked()).toBe(false);
  const { tools } = await studio.daemon.ask("turns.look", { body: { chat: "drawer" } });
  expect(tools.map(({ name }) => name)).not.toContain("chat_context_list");
  await list.press("Space");
  await expect.poll(() => tokens("tools")).toBe(before);
  // What is switched is scrolled to in its list, and not the page with it.
  expect(await page.evaluate(() => document.documentElement.scrollHeight - innerHeight)).toBe(0);
  // What a change would cost is said before it is saved.
  await drawer.locator("summary", { hasText: "Settings (" }).click();
  await drawer.getByRole("button", { name: "System prompt" }).click();
  await drawer.getByRole("textbox", { name: "System prompt" }).pressSequentially("You are a harbour master.");
  await expect.poll(() => drawer.getByRole("status").innerText()).toMatch(/costs [\d,]+ cached tokens/);
  await drawer.getByRole("button", { name: "Save" }).click();
  await expect.poll(() => drawer.getByRole("button", { name: "System prompt" }).innerText()).toContain("the chat");
  // A cut is looked at, and nothing is cut.
  await drawer.getByRole("button", { name: "Preview the cut" }).click();
  const cut = page.getByRole("dialog", { name: "Preview the cut" });
  await expect.poll(() => cut.getByRole("region", { name: "What leaves" }).innerText()).toContain("Line 1 of");
  await expect.poll(() => cut.getByRole("region", { name: "Summary" }).innerText()).toContain("ship-0");
  expect(await axeProblems(page)).toEqual([]);
  await page.keyboard.press("Escape");
  expect((await studio.daemon.ask("chats.get", { params })).active.compactions).toBe(0);
  await expectAccessible(page);
});

test("check 47: Home says what Galley is for, draws the next call of the chat that was used last, and calls chats by their names", async () => {
  const params = { key: "homely" };
  const messages = [{ role: "user" as const, content: "Where does the Heron land tonight?" }];
  await studio.daemon.ask("chats.add", { params, body: { messages } });
  const page = await studio.open("/");
  await page.getByText("Galley decides what your model reads").waitFor();
  const picture = page.getByRole("region", { name: "What “Where does the Heron land tonight?” would send next" });
  const { digest } = await studio.daemon.ask("turns.look", { body: { chat: "homely" } });
  await expect.poll(() => picture.locator("[data-digest]").getAttribute("data-digest")).toBe(digest);
  const chats = page.getByRole("region", { name: "Chats" });
  await expect.poll(() => chats.innerText()).toContain("Where does the Heron land tonight?");
  await picture.getByRole("link", { name: "Open the chat" }).click();
  await expect.poll(() => page.url()).toContain("/chats/homely");
});
