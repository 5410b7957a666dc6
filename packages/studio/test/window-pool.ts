import type { BrowserContext, Page } from "playwright";
import { type WindowOptions, resetView } from "./studio-window.ts";

interface PooledWindow {
  readonly kind: string;
  readonly context: BrowserContext;
  /** Shows `restingPlace` while no test has it. */
  page: Page | undefined;
}

/** A file of Studio's origin without scripts: a page that shows it keeps its process, and does nothing. */
const restingPlace = "/icon.svg";

/**
 * Windows, each with its page, that are used again by later tests: most of what a page costs is to start its process, and
 * to fetch and compile what the test before had loaded. A test that gets one finds its storage empty, and the page's size,
 * colours, routes and listeners as in a new one; its history is the one thing that grows. No two in use share anything.
 */
export class WindowPool {
  readonly #url: string;
  readonly #open: (options: WindowOptions) => Promise<BrowserContext>;
  #idle: PooledWindow[] = [];
  #used: PooledWindow[] = [];

  constructor(url: string, open: (options: WindowOptions) => Promise<BrowserContext>) {
    this.#url = url;
    this.#open = open;
  }

  /** A page in a window of this kind, with this size and these colours. */
  async page(options: WindowOptions): Promise<Page> {
    // Size and colours can be changed; a new process takes as long as a page.
    const kind = JSON.stringify([options.language, options.isFirstVisit, options.isStranger]);
    const kept = this.#idle.find((one) => one.kind === kind);
    if (kept) this.#idle = this.#idle.filter((one) => one !== kept);
    const window = kept ?? { kind, context: await this.#open(options), page: undefined };
    this.#used.push(window);
    const isNew = window.page === undefined;
    window.page ??= await window.context.newPage();
    if (kept) await clearStorage(window.page, this.#url);
    if (!isNew) await resetView(window.page, options);
    return window.page;
  }

  /** Ends what the pages do, and closes all but the first of each window. */
  async takeBack(): Promise<void> {
    const windows = this.#used.splice(0);
    await Promise.all(windows.map((window) => this.#rest(window)));
    this.#idle.push(...windows);
  }

  async close(): Promise<void> {
    const windows = [...this.#idle.splice(0), ...this.#used.splice(0)];
    await Promise.all(windows.map(({ context }) => context.close()));
  }

  async #rest(window: PooledWindow): Promise<void> {
    const { page, context } = window;
    await Promise.all(
      context
        .pages()
        .filter((other) => other !== page)
        .map((other) => other.close()),
    );
    if (page === undefined) return;
    try {
      for (const event of ["dialog", "console", "pageerror"] as const) page.removeAllListeners(event);
      await page.goto(this.#url + restingPlace);
      // Not before: a request that is made while a page stops being watched may never be answered.
      await page.unrouteAll({ behavior: "ignoreErrors" });
    } catch {
      // The test closed it, or its daemon is gone.
      await page.close();
      window.page = undefined;
    }
  }
}

async function clearStorage(page: Page, url: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const storageTypes = "local_storage,indexeddb,cache_storage,service_workers";
  await session.send("Storage.clearDataForOrigin", { origin: new URL(url).origin, storageTypes });
  await session.detach();
  // A page that is new has none yet, and no address either.
  if (page.url().startsWith(url)) await page.evaluate(() => sessionStorage.clear());
}
