import type { Browser, BrowserContext, Page } from "playwright";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { readNote } from "../../host/src/daemon/client/data-owner.ts";
import { modelListServer } from "../../host/src/models/testing/model-list-server.ts";
import { errorWatch } from "./page-errors.ts";
import { type Daemon, startDaemon } from "./start-daemon.ts";
import { newContext, studioBrowser } from "./studio-window.ts";
import { axeProblems, isFocused } from "./use-studio.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await studioBrowser();
});
const watchErrors = errorWatch();

const signedOut = (page: Page) => page.getByRole("heading", { name: "Open Studio with its link" });
const table = (page: Page) => page.getByRole("table", { name: "Browsers" });

/** A window of its own that comes by a link, as a new browser does. */
async function signedIn(link: string, language: "en" | "zh" = "en"): Promise<Page> {
  const context: BrowserContext = await newContext(browser, [], { language });
  watchErrors(context, ["daemon away", "not signed in", "forbidden"]);
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.goto(link);
  await page.locator("#page-heading").waitFor();
  return page;
}

async function savePreset({ ask }: Daemon, id: string): Promise<void> {
  await ask("presets.save", { params: { id }, body: { preset: { presetMessages: [] }, expectedVersion: 0 } });
}

async function newLink({ url, data }: Daemon): Promise<string> {
  const headers = { authorization: `Bearer ${readNote(data)?.token}` };
  const response = await fetch(`${url}/control/link`, { method: "POST", headers });
  return ((await response.json()) as { readonly link: string }).link;
}

test("[P7] after a SIGKILL or a SIGTERM and a new start the page goes on by itself, signed in", async () => {
  let daemon = await startDaemon();
  onTestFinished(() => daemon.stop());
  const { url, data } = daemon;
  const page = await signedIn(daemon.link);
  const presets = page.getByRole("region", { name: "Presets" });
  await presets.waitFor();
  await page.clock.install();
  for (const [signal, name] of [
    ["SIGKILL", "kept"],
    ["SIGTERM", "again"],
  ] as const) {
    await daemon.end(signal);
    const notice = page.getByText("The daemon does not answer. What you see may be old.");
    await notice.waitFor();
    daemon = await startDaemon({ data });
    expect(daemon.url).toBe(url);
    // The page asks again with pauses that grow to half a minute.
    while (await notice.isVisible()) await page.clock.fastForward(1000);
    // What happens from now on is told as well, which takes a stream of events that was let in.
    await savePreset(daemon, name);
    await expect.poll(() => presets.innerText()).toContain(name);
    await expect.poll(() => signedOut(page).count()).toBe(0);
  }
  await page.reload();
  await presets.waitFor();
});

test("[P7] Settings lists the browsers; one that is signed out there sees it at once, without a reload", async () => {
  const daemon = await startDaemon();
  onTestFinished(() => daemon.stop());
  const page = await signedIn(daemon.link);
  const [second, third] = [await signedIn(await newLink(daemon)), await signedIn(await newLink(daemon), "zh")];
  await page.goto(`${daemon.url}/settings`);
  await expect.poll(() => table(page).getByRole("row").count()).toBe(4);
  await third.goto(`${daemon.url}/settings`);
  await third.getByRole("table", { name: "浏览器" }).getByText("此浏览器").waitFor();
  expect(await axeProblems(page)).toEqual([]);
  // The newest is first: the third, the second, this one.
  await expect
    .poll(() => table(page).getByRole("row").nth(3).innerText())
    .toMatch(/Chrome \d+ on Linux\s+This browser/i);
  const begun = performance.now();
  await table(page).getByRole("row").nth(2).getByRole("button").click();
  await signedOut(second).waitFor();
  // A page that is not told would see it with its next request only; it makes none.
  expect(performance.now() - begun).toBeLessThan(10_000);
  await expect.poll(() => table(page).getByRole("row").count()).toBe(3);
  await page.getByRole("button", { name: "Sign out all others" }).click();
  await third.getByRole("heading", { name: "请用链接打开 Studio" }).waitFor();
  await page.getByRole("button", { name: "Sign out all others" }).waitFor({ state: "detached" });
  await table(page).getByRole("button").click();
  await signedOut(page).waitFor();
});

test("checks 60, 66: a provider is added in Settings, tested, used and removed; an address of one's own takes the terminal's code", async () => {
  const daemon = await startDaemon();
  onTestFinished(() => daemon.stop());
  const server = await modelListServer(["qwen3-mini"]);
  const page = await signedIn(daemon.link);
  await page.goto(`${daemon.url}/settings`);
  const providers = page.getByRole("table", { name: "Providers" });
  const dialog = page.getByRole("dialog");
  // Check 94: nobody has asked this server.
  await expect.poll(() => providers.getByRole("row", { name: /Ollama/u }).innerText()).toMatch(/Not tested/u);
  // By keyboard alone: the first field has the focus, and so has the code once it is asked for.
  await page.getByRole("button", { name: "Add a provider" }).press("Enter");
  await expect.poll(() => isFocused(dialog.getByRole("button", { name: "Service" }))).toBe(true);
  await page.keyboard.press("Enter");
  await page.getByRole("option", { name: "Another address" }).waitFor();
  // The list shows before it has the focus; what is typed then goes to the button.
  const hasFocus = (list: Element): boolean => list.contains(document.activeElement);
  await expect.poll(() => page.getByRole("listbox").evaluate(hasFocus)).toBe(true);
  await page.keyboard.type("Another");
  await page.keyboard.press("Enter");
  await dialog.getByRole("textbox", { name: "Name" }).waitFor();
  for (const typed of ["house", "http://llm.invalid/v1", "sk-typed-by-a-person-0001"]) {
    await page.keyboard.press("Tab");
    await page.keyboard.type(typed);
  }
  expect(await axeProblems(page)).toEqual([]);
  // A person's finger is still on the key when the answer comes.
  await page.keyboard.down("Enter");
  await dialog.getByText("takes a code").waitFor();
  const code = (): string | undefined => /http:\/\/llm\.invalid\b.*: (\d{6})\n/.exec(daemon.said())?.[1];
  await expect.poll(code).toBeDefined();
  await expect.poll(() => isFocused(dialog.getByRole("textbox", { name: "Code" }))).toBe(true);
  await page.keyboard.up("Enter");
  await page.keyboard.type(code() ?? "");
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("status").getByText("It could not be reached").waitFor();
  // On this machine no code is asked for; the key that belongs to the other address does not come along.
  await page.getByRole("button", { name: "Set up house" }).press("Enter");
  await expect.poll(() => isFocused(dialog.getByLabel("Key", { exact: true }))).toBe(true);
  await dialog.getByRole("textbox", { name: "Address" }).fill(server.url);
  await dialog.getByRole("button", { name: "Save and test" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("status").getByText("has 1 model").waitFor();
  expect(server.heard.map(({ authorization }) => authorization)).toEqual([undefined]);
  // Its models are found by typing, here and in a chat; pages of a chat that has none yet say what is used then.
  await page.getByRole("combobox", { name: "Model for new chats and previews" }).click();
  await page.keyboard.type("qwen3-m");
  await page.getByRole("option", { name: /^house\/qwen3-mini/ }).click();
  await daemon.ask("chats.add", { params: { key: "tea" }, body: { messages: [{ role: "user", content: "Hello." }] } });
  // A list that comes only after somebody has typed still opens.
  const list = Promise.withResolvers<void>();
  await page.route("**/api/models", async (route) => {
    await list.promise;
    await route.continue();
  });
  await page.goto(`${daemon.url}/chats/tea`);
  const box = page.getByRole("combobox", { name: "Model" });
  await expect.poll(() => box.getAttribute("placeholder")).toContain("Default (");
  await box.click();
  await page.keyboard.type("qwen3-m");
  await page.getByText("Reading the list of models").waitFor();
  list.resolve();
  await page.getByRole("option", { name: /^house\/qwen3-mini/ }).click();
  const model = async () => (await daemon.ask("chats.get", { params: { key: "tea" } })).model;
  await expect.poll(model).toBe("house/qwen3-mini");
  // A name that no list has may be typed; an empty box is the default again.
  await box.fill("house/other");
  await page.keyboard.press("Enter");
  await expect.poll(model).toBe("house/other");
  await box.fill("");
  await page.keyboard.press("Enter");
  await expect.poll(model).toBeUndefined();
  await page.goto(`${daemon.url}/settings`);
  expect(await page.content()).not.toContain("sk-typed-by-a-person-0001");
  await page.getByRole("button", { name: "Remove house" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
  await expect.poll(() => providers.innerText()).not.toContain("house");
});
