import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Browser, BrowserContext, Locator, Page, Route } from "playwright";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { type ProvokedError, errorWatch } from "./page-errors.ts";
import { type Daemon, type DaemonOptions, startDaemon } from "./start-daemon.ts";
import { type Cookies, type WindowOptions, newContext, signIn, studioBrowser } from "./studio-window.ts";
import { WindowPool } from "./window-pool.ts";

export interface OpenOptions extends WindowOptions {
  /** For a test that provokes errors, such as a page that does not exist; every other error still fails it. */
  readonly expects?: readonly ProvokedError[];
  /** Another daemon than the file's own, e.g. one that is about to be killed. */
  readonly daemon?: Daemon;
}

export interface Studio {
  readonly daemon: Daemon;
  /** Opens a URL of Studio in a window of its own; waits until the page has its heading. */
  readonly open: (path: string, options?: OpenOptions) => Promise<Page>;
}

/**
 * One daemon and windows of its own for a test file. Every page that a test opened is closed after it, and the test fails when a
 * page wrote an error to its console or left one uncaught.
 */
export function useStudio(options: DaemonOptions = {}): Studio {
  let daemon: Daemon;
  let browser: Browser;
  let cookies: Cookies;
  let pool: WindowPool;
  const contexts: BrowserContext[] = [];
  // The first hook runs last: by then the pages are closed.
  const watchErrors = errorWatch();

  beforeAll(async () => {
    daemon = await startDaemon(options);
    browser = await studioBrowser();
    cookies = await signIn(browser, daemon.link);
    pool = new WindowPool(daemon.url, (windowOptions) => newWindow(cookies, windowOptions));
  });

  afterEach(async () => {
    await Promise.all([pool.takeBack(), ...contexts.splice(0).map((context) => context.close())]);
  });

  afterAll(async () => {
    await pool?.close();
    await daemon?.stop();
  });

  const newWindow = async (
    key: Cookies,
    windowOptions: WindowOptions,
    expected: readonly ProvokedError[] = [],
  ): Promise<BrowserContext> => {
    const context = await newContext(browser, key, windowOptions);
    watchErrors(context, expected);
    return context;
  };

  // A test that provokes errors takes away cookies or the network: no other test gets that window.
  const ownPage = async (windowOptions: WindowOptions, { expects, daemon: other }: OpenOptions): Promise<Page> => {
    const key = other ? await signIn(browser, other.link) : cookies;
    const context = await newWindow(key, windowOptions, expects);
    contexts.push(context);
    return context.newPage();
  };

  return {
    get daemon() {
      return daemon;
    },
    open: async (path, openOptions = {}) => {
      const { expects, daemon: other, ...windowOptions } = openOptions;
      const isOwn = expects !== undefined || other !== undefined;
      const page = isOwn ? await ownPage(windowOptions, openOptions) : await pool.page(windowOptions);
      await page.goto((other ?? daemon).url + path);
      // A stranger gets a page of the daemon's own.
      if (!openOptions.isStranger) await page.locator("#page-heading").waitFor();
      return page;
    },
  };
}

/** Whether what is typed goes there. */
export const isFocused = (field: Locator): Promise<boolean> =>
  field.evaluate((element) => {
    const { activeElement } = document;
    return element === (activeElement?.shadowRoot?.activeElement ?? activeElement);
  });

/**
 * Answers the first request of an address by hand and lets all others through. (`times: 1` stops watching the page after the
 * first, and a request that is made in that very moment may never be answered by the browser.)
 */
export async function answerFirst(page: Page, address: string, answer: (route: Route) => Promise<void>): Promise<void> {
  let isFirst = true;
  await page.route(address, (route) => {
    if (!isFirst) return route.continue();
    isFirst = false;
    return answer(route);
  });
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

const axeSource = readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe finds wrong with the page as it stands, in words; nothing when it is fine. All rules, or only those named. */
export async function axeProblems(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(await axeSource);
  // A fault is told by its HTML: no selectors are made for everything that was looked at.
  const options = JSON.stringify({ resultTypes: ["violations"], selectors: false, ...(rules && { runOnly: rules }) });
  const run = `axe.run(document, ${options}).then((result) => result.violations)`;
  const violations = await page.evaluate<readonly Violation[]>(run);
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html} ${node.failureSummary ?? ""}`));
}

const background = (page: Page): Promise<string> =>
  page.evaluate(() => getComputedStyle(document.body).backgroundColor);

/** Expects axe to find nothing as the page stands, and nothing in the colours of the other theme, which stays. */
async function expectBothThemes(page: Page, other: "light" | "dark"): Promise<void> {
  expect(await axeProblems(page)).toEqual([]);
  const before = await background(page);
  await page.emulateMedia({ colorScheme: other });
  await expect.poll(() => background(page)).not.toBe(before);
  // Only colours have changed.
  expect(await axeProblems(page, ["color-contrast", "link-in-text-block"])).toEqual([]);
}

/**
 * Expects axe to find nothing on a page, opened in English and light, in both languages and both themes. One load is
 * enough: a page that is open follows the system's colours, and the frame's button changes its language.
 */
export async function expectAccessible(page: Page): Promise<void> {
  await expectBothThemes(page, "dark");
  await page.getByRole("button", { name: "切换到中文" }).click();
  await expect.poll(() => page.locator("html").getAttribute("lang")).toBe("zh-CN");
  await expectBothThemes(page, "light");
}

const wide = { width: 1440, height: 900 };

/** Expects that the page fits a phone: it only scrolls down, and axe finds nothing there either. */
export async function expectFitsPhone(page: Page): Promise<void> {
  await page.setViewportSize({ width: 390, height: 844 });
  await expect.poll(() => sidewaysScroll(page)).toBe(0);
  await settle(page);
  expect(await axeProblems(page)).toEqual([]);
  await page.setViewportSize(wide);
}

/** Waits until nothing says that it is loading. (Pages follow events, so that the network is never idle.) */
export async function settle(page: Page): Promise<void> {
  await expect.poll(() => page.getByRole("progressbar").count()).toBe(0);
}

/** How far the page can be scrolled sideways; 0 is what must be. */
export async function sidewaysScroll(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}
