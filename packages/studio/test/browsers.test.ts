import { type Browser, type BrowserContext, type Page, chromium as playwright } from "playwright";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { chromiumPath } from "../../../scripts/chromium-path.ts";
import { readNote } from "../../host/src/daemon/client/data-owner.ts";
import { errorWatch } from "./page-errors.ts";
import { type Daemon, startDaemon } from "./start-daemon.ts";
import { newContext } from "./studio-window.ts";
import { axeProblems } from "./use-studio.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await playwright.launch({ executablePath: await chromiumPath(), args: ["--no-sandbox"] });
});
afterAll(() => browser.close());
const watchErrors = errorWatch();

const signedOut = (page: Page) => page.getByRole("heading", { name: "Open Studio with its link" });
const table = (page: Page) => page.getByRole("table", { name: "Browsers" });

/** A window of its own that comes by a link, as a new browser does. */
async function signedIn(link: string, language: "en" | "zh" = "en"): Promise<Page> {
  const context: BrowserContext = await newContext(browser, [], { language });
  watchErrors(context, ["daemon away", "not signed in"]);
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
    expect(await signedOut(page).count()).toBe(0);
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
  expect(await table(page).getByRole("row").nth(3).innerText()).toMatch(/Chrome \d+ on Linux\s+This browser/i);
  const begun = performance.now();
  await table(page).getByRole("row").nth(2).getByRole("button").click();
  await signedOut(second).waitFor();
  expect(performance.now() - begun).toBeLessThan(2500);
  await expect.poll(() => table(page).getByRole("row").count()).toBe(3);
  await page.getByRole("button", { name: "Sign out all others" }).click();
  await third.getByRole("heading", { name: "请用链接打开 Studio" }).waitFor();
  await page.getByRole("button", { name: "Sign out all others" }).waitFor({ state: "detached" });
  await table(page).getByRole("button").click();
  await signedOut(page).waitFor();
});
