import { type Browser, type BrowserContext, type Page, chromium as playwright } from "playwright";
import { chromiumPath } from "../../../scripts/chromium-path.ts";

export interface WindowOptions {
  readonly theme?: "light" | "dark";
  readonly language?: "en" | "zh";
  readonly size?: { readonly width: number; readonly height: number };
  /** Shows the tour of a first visit; otherwise it counts as done. */
  readonly isFirstVisit?: boolean;
  /** A browser that never opened the link. */
  readonly isStranger?: boolean;
}

export type Cookies = Awaited<ReturnType<BrowserContext["cookies"]>>;

/** How long a page may take for anything, in ms; a machine that does other things as well is slow. */
const patience = 60_000;

let browser: Promise<Browser> | undefined;

/** One for all test files of a worker, because starting it takes as long as several pages; it ends with the process. */
export async function studioBrowser(): Promise<Browser> {
  if (browser === undefined || !(await browser).isConnected()) browser = launch();
  return browser;
}

async function launch(): Promise<Browser> {
  // Not the package's own arguments: they turn parts of the web's security off.
  return playwright.launch({ executablePath: await chromiumPath(), args: ["--no-sandbox"] });
}

/** Opens the one-time link and gives the key that the browser got. */
export async function signIn(browser: Browser, link: string): Promise<Cookies> {
  const context = await browser.newContext();
  // Only the cookie is wanted; `browsers.test.ts` opens links as a person does.
  const response = await context.request.get(link, { timeout: patience });
  if (!response.ok()) throw new Error(`The link was answered with ${response.status()}.`);
  const cookies = await context.cookies();
  await context.close();
  return cookies;
}

interface View {
  readonly viewport: { readonly width: number; readonly height: number };
  readonly media: { readonly colorScheme: "light" | "dark"; readonly reducedMotion: "reduce" };
}

function viewOf({ theme = "light", size = { width: 1440, height: 900 } }: WindowOptions): View {
  return { viewport: size, media: { colorScheme: theme, reducedMotion: "reduce" } };
}

/** Gives a page the size and the colours with which its window was opened. */
export async function resetView(page: Page, options: WindowOptions): Promise<void> {
  const { viewport, media } = viewOf(options);
  await page.setViewportSize(viewport);
  await page.emulateMedia(media);
}

/** A window that has the key. */
export async function newContext(browser: Browser, cookies: Cookies, options: WindowOptions): Promise<BrowserContext> {
  const { language = "en", isFirstVisit, isStranger } = options;
  const { viewport, media } = viewOf(options);
  const context = await browser.newContext({ viewport, ...media, locale: language === "zh" ? "zh-CN" : "en" });
  context.setDefaultTimeout(patience);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  if (!isStranger) await context.addCookies(cookies);
  if (!isFirstVisit) await context.addInitScript(endTour);
  return context;
}

/** Runs in the page, before anything else. */
function endTour(): void {
  // A canvas is a frame without storage, and so is a window that shows nothing yet.
  if (window !== window.top || location.protocol === "about:" || localStorage.getItem("galley-studio")) return;
  const language = navigator.language.startsWith("zh") ? "zh" : "en";
  localStorage.setItem("galley-studio", JSON.stringify({ state: { tourIsDone: true, language }, version: 1 }));
}
