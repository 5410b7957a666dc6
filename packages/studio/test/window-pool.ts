import type { BrowserContext, Page } from "playwright";
import type { WindowOptions } from "./studio-window.ts";

interface PooledWindow {
  readonly kind: string;
  readonly context: BrowserContext;
}

/**
 * Windows that are used again by later tests, because most of a page's cost is to fetch and compile what the window before
 * has in its cache. A test that gets one finds its storage empty; no two in use share anything.
 */
export class WindowPool {
  readonly #open: (options: WindowOptions) => Promise<BrowserContext>;
  #idle: PooledWindow[] = [];
  #used: PooledWindow[] = [];

  constructor(open: (options: WindowOptions) => Promise<BrowserContext>) {
    this.#open = open;
  }

  /** A new page in a window of this kind. */
  async page(url: string, options: WindowOptions): Promise<Page> {
    const kind = JSON.stringify(options);
    const kept = this.#idle.find((one) => one.kind === kind);
    if (kept) this.#idle = this.#idle.filter((one) => one !== kept);
    const window = kept ?? { kind, context: await this.#open(options) };
    this.#used.push(window);
    const page = await window.context.newPage();
    if (kept) await clearStorage(page, url);
    return page;
  }

  /** Closes all pages. */
  async takeBack(): Promise<void> {
    const windows = this.#used.splice(0);
    await Promise.all(windows.flatMap(({ context }) => context.pages()).map((page) => page.close()));
    this.#idle.push(...windows);
  }
}

async function clearStorage(page: Page, url: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const storageTypes = "local_storage,indexeddb,cache_storage,service_workers";
  await session.send("Storage.clearDataForOrigin", { origin: new URL(url).origin, storageTypes });
  await session.detach();
}
