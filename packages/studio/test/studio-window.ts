import type { Browser, BrowserContext } from "playwright";

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

/** A window that has the key. */
export async function newContext(browser: Browser, cookies: Cookies, options: WindowOptions): Promise<BrowserContext> {
  const { theme = "light", language = "en", size = { width: 1440, height: 900 }, isFirstVisit, isStranger } = options;
  const context = await browser.newContext({
    viewport: size,
    colorScheme: theme,
    locale: language === "zh" ? "zh-CN" : "en",
    reducedMotion: "reduce",
  });
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
