import { randomUUID } from "node:crypto";
import type { Locator, Page } from "playwright";
import { beforeAll, expect, test } from "vitest";
import { seedPresets } from "./seed-studio.ts";
import { answerFirst, axeProblems, isFocused, sidewaysScroll, useStudio } from "./use-studio.ts";

const studio = useStudio();
beforeAll(async () => {
  await seedPresets(studio.daemon);
  const messages = [{ role: "user", content: "飞艇的煤油税怎么计算？" } as const];
  await studio.daemon.ask("chats.add", { params: { key: "demo" }, body: { messages } });
});

const heading = (page: Page): Promise<string> => page.locator("h1").innerText();
const focused = (page: Page): Promise<string | undefined> => page.evaluate(() => document.activeElement?.id);
const path = (page: Page): string => new URL(page.url()).pathname;
const palette = (page: Page): Locator => page.getByPlaceholder(/^Go to a page/);
const narrow = { width: 390, height: 844 };

test("a link changes URL, title and heading, and moves the focus; Back returns", async () => {
  const page = await studio.open("/");
  await page.getByRole("link", { name: "Settings", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Settings" }).waitFor();
  expect(path(page)).toBe("/settings");
  await expect.poll(() => page.title()).toBe("Settings · Galley Studio");
  await expect.poll(() => focused(page)).toBe("page-heading");
  await page.goBack();
  await expect.poll(() => heading(page)).toBe("Home");
});

test("a link with Ctrl, Shift or the middle button is left to the browser, which opens a tab or a window", async () => {
  const page = await studio.open("/");
  const link = page.getByRole("link", { name: "Settings", exact: true });
  // Last of all, it notes whether the page has taken the click, and keeps the browser from opening anything.
  await page.evaluate(() => {
    const note = (event: Event): void => {
      document.documentElement.dataset["click"] = event.defaultPrevented ? "taken" : "left";
      event.preventDefault();
    };
    addEventListener("click", note);
    addEventListener("auxclick", note);
  });
  const click = (): Promise<string | undefined> => page.evaluate(() => document.documentElement.dataset["click"]);
  await link.click({ modifiers: ["ControlOrMeta"] });
  expect(await click()).toBe("left");
  await link.click({ modifiers: ["Shift"] });
  expect(await click()).toBe("left");
  await link.click({ button: "middle" });
  expect(await click()).toBe("left");
  expect(path(page)).toBe("/");
  await link.click();
  expect(await click()).toBe("taken");
  await expect.poll(() => path(page)).toBe("/settings");
});

test("a view whose name looks like a file is a view all the same", async () => {
  const page = await studio.open("/chats/notes.txt");
  await expect.poll(() => heading(page)).not.toBe("There is no such page");
});

test("an address without a view says so and leads home", async () => {
  const page = await studio.open("/nowhere/at/all");
  await expect.poll(() => heading(page)).toBe("There is no such page");
  await page.getByRole("link", { name: "Go to Home" }).click();
  await expect.poll(() => heading(page)).toBe("Home");
});

test("the first Tab is the skip link, which goes to the page's heading", async () => {
  const page = await studio.open("/settings");
  await page.keyboard.press("Tab");
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe("Skip to the page");
  await page.keyboard.press("Enter");
  await expect.poll(() => focused(page)).toBe("page-heading");
});

test("check 93: the palette finds a preset, a chat and a page by keyboard, typed on at once; Escape gives the focus back", async () => {
  const page = await studio.open("/");
  const box = page.getByRole("textbox", { name: "Message", exact: true });
  const go = async (typed: string, expected: string): Promise<void> => {
    await page.keyboard.press("ControlOrMeta+k");
    // Typed on at once, without waiting for the field.
    await page.keyboard.type(typed);
    await expect.poll(() => palette(page).inputValue()).toBe(typed);
    // What is found first may come later than other things that match.
    const [name = ""] = typed.split(" ");
    await expect.poll(() => page.getByRole("menuitem").first().innerText()).toMatch(new RegExp(name, "i"));
    expect(await axeProblems(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await expect.poll(() => path(page)).toBe(expected);
    const first = expected.startsWith("/chats") ? box : page.locator("#page-heading");
    await expect.poll(() => isFocused(first)).toBe(true);
  };
  await go("recipes preset", "/compose/recipes");
  await go("demo chat", "/chats/demo");
  await go("settings page", "/settings");
  await page.keyboard.press("ControlOrMeta+k");
  await palette(page).fill("zzzz");
  await page.getByText("Nothing matches.").waitFor();
  await page.keyboard.press("Escape");
  await palette(page).waitFor({ state: "detached" });
  await expect.poll(() => focused(page)).toBe("page-heading");
});

test("check 39: the palette makes a new preset from anywhere, with its name selected; Escape gives it up", async () => {
  const page = await studio.open("/settings");
  await page.keyboard.press("ControlOrMeta+k");
  await palette(page).pressSequentially("new preset");
  await page.keyboard.press("Enter");
  const name = page.getByRole("dialog", { name: "New preset" }).getByRole("textbox", { name: "Name" });
  await expect.poll(() => isFocused(name)).toBe(true);
  await page.keyboard.press("Escape");
  await name.waitFor({ state: "detached" });
  await expect.poll(() => path(page)).toBe("/compose");
});

test("the palette runs what the frame offers: the theme changes and stays", async () => {
  const page = await studio.open("/");
  await page.keyboard.press("ControlOrMeta+k");
  await palette(page).fill("dark theme");
  await expect.poll(() => page.getByRole("menuitem").first().innerText()).toContain("Dark theme");
  await page.keyboard.press("Enter");
  await page.locator("html[data-theme=dark]").waitFor({ state: "attached" });
  await page.reload();
  await expect.poll(() => page.locator("html").getAttribute("data-theme")).toBe("dark");
});

test("? shows the shortcuts, / goes to the page's search, and neither does while a text is written", async () => {
  const page = await studio.open("/settings");
  const search = page.getByRole("searchbox", { name: "Search models" });
  await search.waitFor();
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
  expect(await axeProblems(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.keyboard.press("/");
  await expect.poll(() => isFocused(search)).toBe(true);
  await page.keyboard.type("/?");
  await expect.poll(() => search.inputValue()).toBe("/?");
  await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
});

test("check 24: html[lang] follows the language, which begins with the browser's and stays as chosen", async () => {
  const page = await studio.open("/", { language: "zh" });
  await expect.poll(() => page.locator("html").getAttribute("lang")).toBe("zh-CN");
  await expect.poll(() => heading(page)).toBe("首页");
  await page.getByRole("button", { name: "Switch to English" }).click();
  await expect.poll(() => page.locator("html").getAttribute("lang")).toBe("en");
  await page.reload();
  await page.locator("html[lang=en]").waitFor({ state: "attached" });
  await expect.poll(() => heading(page)).toBe("Home");
});

test("on a narrow window every page is reached by the bar or its menu", async () => {
  const page = await studio.open("/", { size: narrow });
  for (const name of ["Compose", "Chats", "Inspect", "Home"]) {
    await page.getByRole("navigation").getByRole("link", { name }).click();
    await expect.poll(() => heading(page)).toContain(name);
  }
  for (const name of ["Compare", "Agents", "Handover", "Import", "Settings"]) {
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name }).click();
    await expect.poll(() => heading(page)).toContain(name);
    await expect.poll(() => sidewaysScroll(page)).toBe(0);
  }
});

test("a browser without a key is told how to get one", async () => {
  const page = await studio.open("/", { isStranger: true, expects: ["not signed in"] });
  await expect.poll(() => page.locator("body").innerText()).toContain("galley open");
});

/** Whatever the page asks next is refused; at the latest it asks for the presets, when it hears of a new one. */
async function signOut(page: Page): Promise<void> {
  await page.context().clearCookies();
  await savePreset(`made-${randomUUID()}`);
  await page.getByRole("heading", { name: "Open Studio with its link" }).waitFor();
}

test("a browser whose key is no longer good is told how to get another", async () => {
  const page = await studio.open("/", { expects: ["not signed in"] });
  await signOut(page);
  await expect.poll(() => page.locator("pre").allInnerTexts()).toEqual(["galley up", "galley open"]);
  expect(await axeProblems(page)).toEqual([]);
});

test("a tab that was signed out is there again once the browser has a key and the tab is looked at", async () => {
  const page = await studio.open("/", { expects: ["not signed in"] });
  const cookies = await page.context().cookies();
  await signOut(page);
  await page.context().addCookies(cookies);
  await page.evaluate(() => {
    const look = (isHidden: boolean): void => {
      Object.defineProperty(document, "hidden", { value: isHidden, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    };
    look(true);
    look(false);
  });
  await expect.poll(() => heading(page)).toBe("Home");
});

test("a stream of events that is refused once is asked for again, and what happened meanwhile shows", async () => {
  const page = await studio.open("/", { expects: ["unavailable"] });
  const refused = Promise.withResolvers<void>();
  await answerFirst(page, "**/api/events", async (route) => {
    await route.fulfill({ status: 503, body: "" });
    refused.resolve();
  });
  await page.reload();
  const list = page.getByRole("region", { name: "Presets" });
  await expect.poll(() => list.innerText()).toContain("One list");
  await refused.promise;
  await savePreset("made-unheard");
  await expect.poll(() => list.innerText()).toContain("made-unheard");
});

test("a page that cannot be loaded leaves the frame alive", async () => {
  const page = await studio.open("/", { expects: ["file not loaded"] });
  await page.route("**/assets/import-page*", (route) => route.abort());
  await page.reload();
  await page.getByRole("link", { name: "Import", exact: true }).click();
  await page.getByRole("button", { name: "Load again" }).waitFor();
  await page.getByRole("link", { name: "Home", exact: true }).click();
  await expect.poll(() => heading(page)).toBe("Home");
});

async function savePreset(id: string): Promise<void> {
  const { preset } = await studio.daemon.ask("presets.get", { params: { id: "simple" } });
  await studio.daemon.ask("presets.save", { params: { id }, body: { preset, expectedVersion: 0 } });
}

test("what another program changes shows without a reload", async () => {
  const page = await studio.open("/");
  await savePreset("made-elsewhere");
  const list = page.getByRole("region", { name: "Presets" });
  await expect.poll(() => list.innerText()).toContain("made-elsewhere");
});

test("what changes while the first answer is on its way shows, too", async () => {
  const page = await studio.open("/settings");
  const isHeld = Promise.withResolvers<void>();
  const isSaved = Promise.withResolvers<void>();
  await answerFirst(page, "**/api/presets", async (route) => {
    const response = await route.fetch();
    isHeld.resolve();
    await isSaved.promise;
    await route.fulfill({ response });
  });
  await page.getByRole("link", { name: "Home", exact: true }).click();
  await isHeld.promise;
  const network = await page.context().newCDPSession(page);
  await network.send("Network.enable");
  const isTold = new Promise((resolve) => network.once("Network.eventSourceMessageReceived", resolve));
  await savePreset("made-meanwhile");
  await isTold;
  isSaved.resolve();
  const list = page.getByRole("region", { name: "Presets" });
  await expect.poll(() => list.innerText()).toContain("made-meanwhile");
});
