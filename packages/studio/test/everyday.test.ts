import type { Locator, Page } from "playwright";
import { beforeAll, expect, test } from "vitest";
import { pathTo } from "../src/frame/routes.ts";
import { axeProblems, isFocused, settle, useStudio } from "./use-studio.ts";

const studio = useStudio();
const demo = { preset: "airship-zh", chat: "demo-zh", session: "chat:demo-zh" };
const path = (page: Page): string => new URL(page.url()).pathname;
const palette = (page: Page): Locator => page.getByPlaceholder(/^Go to a page/);

beforeAll(async () => {
  await studio.daemon.ask("info.demo", { body: { language: "zh" } });
  await studio.daemon.ask("runs.start", { body: { chat: demo.chat, model: "demo", input: "风停了吗？" } });
});

test("check 83: the palette finds messages and every action of the page, begins a chat from anywhere, and Escape gives the focus back", async () => {
  const page = await studio.open(pathTo("chats", { key: demo.chat }));
  const box = page.getByRole("textbox", { name: "Message", exact: true });
  await box.click();
  await page.keyboard.press("ControlOrMeta+k");
  await palette(page).pressSequentially("逆风");
  await page.getByRole("menuitem", { name: /现在逆风/u }).waitFor();
  expect(await axeProblems(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await palette(page).waitFor({ state: "detached" });
  await expect.poll(() => isFocused(box)).toBe(true);
  // A button of the page, by its name.
  await page.keyboard.press("ControlOrMeta+k");
  await palette(page).pressSequentially("new context");
  await page.getByRole("menuitem", { name: /^New context/u }).waitFor();
  await page.keyboard.press("Enter");
  const title = page.getByRole("textbox", { name: "Title of what is put away" });
  await expect.poll(() => isFocused(title)).toBe(true);
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  // A template of the preset that is open, by its name; its text has the focus.
  await page.goto(studio.daemon.url + pathTo("compose", { preset: demo.preset }));
  await page.getByRole("tab", { name: "其他所有模型" }).waitFor();
  await page.keyboard.press("ControlOrMeta+k");
  await palette(page).pressSequentially("先想一想");
  await page.getByRole("menuitem", { name: /先想一想.*Template/u }).waitFor();
  await page.keyboard.press("Enter");
  const template = page.getByRole("dialog", { name: "Template 先想一想" });
  await expect.poll(() => isFocused(template.locator(".cm-content"))).toBe(true);
  await page.keyboard.press("Escape");
  await template.waitFor({ state: "detached" });
  // A message of an archived context, from another page.
  await page.goto(`${studio.daemon.url}/settings`);
  await page.locator("#page-heading").waitFor();
  await page.keyboard.press("ControlOrMeta+k");
  await palette(page).pressSequentially("四十座灯塔");
  await page.getByRole("menuitem", { name: /四十座灯塔/u }).click();
  await expect.poll(() => path(page)).toBe(`/chats/${demo.chat}`);
  await page.getByRole("region", { name: "煤油税" }).getByText("四十座灯塔").waitFor();
  await page.keyboard.press("Alt+n");
  await expect.poll(() => path(page)).toMatch(/^\/chats\/chat-/u);
});

test("check 84: Compose and Inspect call messages, anchors and recipes by their names; ids stand in tooltips", async () => {
  const page = await studio.open(pathTo("compose", { preset: demo.preset }, { source: demo.session }));
  await page.getByRole("heading", { level: 1, name: "飞艇" }).waitFor();
  await page.getByRole("tab", { name: "其他所有模型" }).waitFor();
  const preview = page.getByRole("listbox", { name: "Live preview" });
  await expect.poll(() => preview.innerText()).toMatch(/领航员 · [\s\S]*煤油税 · [\s\S]*备注 · /u);
  await expect.poll(() => preview.innerText()).not.toMatch(/m_[0-9a-f]{20}|kerosene_tax|world/u);
  expect(await preview.getByTitle(/kerosene_tax/u).count()).toBe(1);
  const left = page.getByRole("region", { name: "Not sent" });
  await expect.poll(() => left.innerText()).toMatch(/先想一想.*其他所有模型/u);
  await page.goto(studio.daemon.url + pathTo("call", { id: demo.session, n: "1" }));
  const inputs = page.getByRole("region", { name: "Inputs" });
  await expect.poll(() => inputs.innerText()).toContain("煤油税");
  await expect.poll(() => inputs.innerText()).not.toContain("kerosene_tax");
});

/** Everything that stands on the page or is read out, but for code, keys and what programs are called. */
function wordsOn(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    const skipped = "code, pre, kbd, script, style, .font-mono, [data-own-words], [lang=en]";
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node.parentElement?.closest(skipped) === null) found.push(node.textContent ?? "");
    }
    for (const element of document.querySelectorAll("[aria-label], [placeholder], [title]")) {
      if (element.closest(skipped)) continue;
      for (const name of ["aria-label", "placeholder", "title"]) found.push(element.getAttribute(name) ?? "");
    }
    return found.map((text) => text.replaceAll(/`[^`]*`|\s+/g, " ").trim());
  });
}

/** Four words in a row that are not Chinese, or the key of a text. */
const untranslated = /[A-Za-z]{2,}(?:[ ,;:.]+[A-Za-z]{2,}){3}|\b(?:undefined|NaN|\[object)\b/u;

test.each([
  ["home", pathTo("home", {})],
  ["Compose", pathTo("compose", {})],
  ["a preset", pathTo("compose", { preset: demo.preset })],
  ["Chats", pathTo("chats", {})],
  ["a chat", pathTo("chats", { key: demo.chat })],
  ["Inspect", pathTo("sessions", {})],
  ["a call", pathTo("call", { id: demo.session, n: "1" })],
  ["what was lost", pathTo("lost", { id: demo.session })],
  ["Compare", pathTo("compare", {})],
  ["Agents", pathTo("agents", {})],
  ["Handover", pathTo("boxes", {})],
  ["Logs", pathTo("logs", {})],
  ["Import", pathTo("import", {})],
  ["Settings", pathTo("settings", {})],
])("check 85: no sentence of %s is left in English on the Chinese page", async (_, view) => {
  const page = await studio.open(view, { language: "zh" });
  await settle(page);
  await expect.poll(async () => (await wordsOn(page)).filter((text) => untranslated.test(text))).toEqual([]);
});

test("check 92: without a mouse a chat is begun and sent, what was left out is seen, a depth is changed, a file comes in and a dialog opens and closes", async () => {
  const page = await studio.open("/");
  const press = (key: string): Promise<void> => page.keyboard.press(key);
  const onFocus = page.locator(":focus");
  const tabTo = async (name: RegExp, key = "Tab"): Promise<void> => {
    const named = (): Promise<string> =>
      onFocus
        .evaluate((element) => {
          const labels = element instanceof HTMLInputElement ? element.labels : null;
          return element.getAttribute("aria-label") ?? labels?.[0]?.textContent ?? element.textContent;
        })
        .catch(() => "");
    for (let presses = 0; presses < 60 && !name.test(await named()); presses += 1) await press(key);
    // Who sees it there goes on, and it must not move on by itself.
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    expect(await named()).toMatch(name);
    // Where the keyboard is, shows.
    expect(await onFocus.evaluate((element) => getComputedStyle(element).outlineStyle)).not.toBe("none");
  };
  const goTo = async (typed: string, heading: string): Promise<void> => {
    await press("ControlOrMeta+k");
    await page.keyboard.type(typed);
    await expect.poll(() => page.getByRole("menuitem").first().innerText()).toContain(typed.split(" ", 1)[0]);
    await press("Enter");
    await page.getByRole("heading", { level: 1, name: heading }).waitFor();
    // Nobody presses keys for the page while the palette is still there.
    await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
  };
  await press("Alt+n");
  await expect.poll(() => isFocused(page.getByRole("textbox", { name: "Message", exact: true }))).toBe(true);
  await page.keyboard.type("Is the tax paid?");
  await press("Enter");
  await page.getByRole("link", { name: /^Inspect call 1/u }).waitFor();
  await tabTo(/^Inspect call 1/u, "Shift+Tab");
  await press("Enter");
  await page.getByRole("tab", { name: /^Messages/u }).waitFor();
  await tabTo(/^Messages/u);
  await press("ArrowRight");
  await page.getByText("Not sent, because").first().waitFor();
  await goTo("airship-zh preset", "飞艇");
  await page.getByRole("button", { name: "Settings of 备注" }).waitFor();
  await tabTo(/^Drag 领航员$/u);
  await press("Shift+Tab");
  await press("End");
  await tabTo(/^Settings of 备注/u);
  await press("Enter");
  // The choice of a depth, and behind it its field.
  await tabTo(/^Depth$/u);
  await press("Tab");
  await page.keyboard.type("3");
  await press("Tab");
  await press("Escape");
  await expect.poll(() => onFocus.getAttribute("aria-label")).toBe("Settings of 备注");
  await press("ControlOrMeta+z");
  await page.getByRole("button", { name: "Nothing to undo" }).waitFor();
  // Chromium is told early that a dialog will be answered: one that it has not heard of yet closes by itself.
  const chosen = page.waitForEvent("filechooser");
  await goTo("Import page", "Import and export");
  await tabTo(/^Choose files/u);
  await press("Enter");
  const book = { entries: { 0: { uid: 0, key: ["tax"], content: "The tax is five per cent." } } };
  const file = { name: "book.json", mimeType: "application/json", buffer: Buffer.from(JSON.stringify(book)) };
  await (await chosen).setFiles([file]);
  await page.getByRole("button", { name: "Save", exact: true }).waitFor();
  await tabTo(/^Save$/u);
  await press("Enter");
  await expect.poll(() => onFocus.innerText()).toContain("Saved");
  await goTo("Settings page", "Settings");
  await page.getByRole("button", { name: "Add a provider" }).waitFor();
  await tabTo(/^Add a provider/u);
  await press("Enter");
  await page.getByRole("dialog", { name: "Add a provider" }).waitFor();
  await press("Escape");
  await expect.poll(() => onFocus.innerText()).toBe("Add a provider");
});
