import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { type Browser, type BrowserContext, type Page, chromium as playwright } from "playwright";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { chromiumPath } from "../../../scripts/chromium-path.ts";
import { type Daemon, type DaemonOptions, startDaemon } from "./start-daemon.ts";
import { type Cookies, type WindowOptions, newContext, signIn } from "./studio-window.ts";
import { WindowPool } from "./window-pool.ts";

export interface OpenOptions extends WindowOptions {
  /** For a test that provokes errors, such as a page that does not exist: the console is not checked. */
  readonly expectsErrors?: boolean;
}

export interface Studio {
  readonly daemon: Daemon;
  /** Opens a URL of Studio in a window of its own; waits until the page has its heading. */
  readonly open: (path: string, options?: OpenOptions) => Promise<Page>;
}

/**
 * One daemon and one browser for a test file. Every page that a test opened is closed after it, and the test fails when a
 * page wrote an error to its console.
 */
export function useStudio(options: DaemonOptions = {}): Studio {
  let daemon: Daemon;
  let browser: Browser;
  let cookies: Cookies;
  let pool: WindowPool;
  const contexts: BrowserContext[] = [];
  const errors: string[] = [];

  beforeAll(async () => {
    daemon = await startDaemon(options);
    // Not the package's own arguments: they turn parts of the web's security off.
    browser = await playwright.launch({ executablePath: await chromiumPath(), args: ["--no-sandbox"] });
    cookies = await signIn(browser, daemon.link);
    pool = new WindowPool(browser, cookies);
  });

  afterEach(async () => {
    await Promise.all([pool.takeBack(), ...contexts.splice(0).map((context) => context.close())]);
    expect(errors.splice(0)).toEqual([]);
  });

  afterAll(async () => {
    await browser?.close();
    await daemon?.stop();
  });

  // Whoever provokes errors takes away cookies or the network; nobody else shall have that window.
  const ownPage = async (windowOptions: WindowOptions): Promise<Page> => {
    const context = await newContext(browser, cookies, windowOptions);
    contexts.push(context);
    return context.newPage();
  };

  return {
    get daemon() {
      return daemon;
    },
    open: async (path, openOptions = {}) => {
      const { expectsErrors, ...windowOptions } = openOptions;
      const page = expectsErrors ? await ownPage(windowOptions) : await pool.page(daemon.url, windowOptions);
      if (!expectsErrors) watchErrors(page, errors);
      await page.goto(daemon.url + path);
      // A stranger gets a page of the daemon's own.
      if (!openOptions.isStranger) await page.locator("#page-heading").waitFor();
      return page;
    },
  };
}

function watchErrors(page: Page, errors: string[]): void {
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(`${page.url()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => errors.push(`${page.url()}: ${error.message}`));
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

const axeSource = readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe finds wrong with the page as it stands, in words; nothing when it is fine. */
export async function axeProblems(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(await axeSource);
  const run = 'axe.run(document, { resultTypes: ["violations"] }).then((result) => result.violations)';
  const violations = await page.evaluate<readonly Violation[]>(run);
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html} ${node.failureSummary ?? ""}`));
}

/** Waits until nothing says that it is loading. (Pages follow events, so that the network is never idle.) */
export async function settle(page: Page): Promise<void> {
  await expect.poll(() => page.getByRole("progressbar").count()).toBe(0);
}

/** How far the page can be scrolled sideways; 0 is what must be. */
export async function sidewaysScroll(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}
