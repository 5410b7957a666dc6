// `npm run shots [-- FOLDER [VIEW…]]`: pictures of every page in theme × language, wide and narrow, for a person to look at.
import { mkdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import type { BrowserContext, Page } from "playwright";
import { setup } from "./build-studio.ts";
import { everyView } from "./every-view.ts";
import { seedStudio } from "./seed-studio.ts";
import { startDaemon } from "./start-daemon.ts";
import { newContext, signIn, studioBrowser } from "./studio-window.ts";

const [folderName = "shots", ...wanted] = process.argv.slice(2);
const folder = resolve(folderName);
const fonts = dirname(createRequire(import.meta.url).resolve("@fontsource/noto-sans-sc/package.json"));
const sizes = { wide: { width: 1440, height: 900 }, narrow: { width: 390, height: 844 } } as const;

/** Many machines that make pictures have no Chinese font: the page gets one, as if Studio brought it. */
async function addChineseFont(context: BrowserContext): Promise<void> {
  const css = await readFile(join(fonts, "chinese-simplified-400.css"), "utf8");
  await context.route("**/assets/index-*.css", async (route) => {
    const response = await route.fetch();
    const font = css.replaceAll("url(./files/", "url(/shots-font/").replaceAll("swap", "block");
    const body = font + (await response.text());
    await route.fulfill({ response, body });
  });
  await context.route("**/shots-font/*", (route) =>
    route.fulfill({ path: join(fonts, "files", new URL(route.request().url()).pathname.split("/").at(-1) ?? "") }),
  );
}

/** Pages follow events, so that the network is never idle: nothing loads, the fonts are there, and a moment has passed. */
async function rest(page: Page): Promise<void> {
  await page.waitForFunction(() => document.querySelector("[role=progressbar]") === null);
  await page.waitForTimeout(300);
  await page.evaluate(async () => {
    await document.fonts.load("400 1rem 'Noto Sans SC'", "中");
    // What was drawn before the font came keeps its boxes until it is shaped again.
    document.documentElement.style.fontVariantLigatures = "none";
  });
}

await setup();
await mkdir(folder, { recursive: true });
const daemon = await startDaemon();
const browser = await studioBrowser();
try {
  const all = Object.entries(everyView(await seedStudio(daemon)));
  const views = all.filter(([name]) => wanted.length === 0 || wanted.includes(name));
  const cookies = await signIn(browser, daemon.link);
  for (const [sizeName, size] of Object.entries(sizes)) {
    for (const theme of ["light", "dark"] as const) {
      for (const language of ["en", "zh"] as const) {
        const context = await newContext(browser, cookies, { theme, language, size });
        await addChineseFont(context);
        const page = await context.newPage();
        for (const [name, path] of views) {
          await page.goto(daemon.url + path);
          await page.locator("#page-heading").waitFor();
          await rest(page);
          await page.screenshot({ path: join(folder, `${name}-${sizeName}-${theme}-${language}.png`) });
        }
        await context.close();
      }
    }
  }
} finally {
  await browser.close();
  await daemon.stop();
}
process.stdout.write(`${folder}\n`);
