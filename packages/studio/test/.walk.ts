// node /tmp/walk.ts STEPS.mjs : a browser on a daemon, for a look
import { pathToFileURL } from "node:url";
const wt = "/work/wt/studio/packages/studio/test";
const { setup } = await import(`${wt}/build-studio.ts`);
const { startDaemon } = await import(`${wt}/start-daemon.ts`);
const { newContext, signIn, studioBrowser } = await import(`${wt}/studio-window.ts`);
const seed = await import(`${wt}/seed-studio.ts`);
if (!process.env.NOBUILD) await setup();
const daemon = await startDaemon(process.env.CONFIG ? { args: ["--config", process.env.CONFIG] } : {});
const browser = await studioBrowser();
const errors: string[] = [];
try {
  const cookies = await signIn(browser, daemon.link);
  const open = async (path: string, options = {}) => {
    const context = await newContext(browser, cookies, options);
    context.setDefaultTimeout(20000);
    const css = (await import("node:fs"))
      .readFileSync("/work/wt/studio/node_modules/@fontsource/noto-sans-sc/chinese-simplified-400.css", "utf8")
      .replaceAll("url(./files/", "url(/shots-font/");
    await context.route("**/assets/index-*.css", async (route: any) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: css + (await response.text()) });
    });
    await context.route("**/shots-font/*", (route: any) =>
      route.fulfill({
        path:
          "/work/wt/studio/node_modules/@fontsource/noto-sans-sc/files/" +
          new URL(route.request().url()).pathname.split("/").at(-1),
      }),
    );
    const page = await context.newPage();
    page.on("console", (m: any) => {
      if (m.type() === "error" || m.type() === "warning") errors.push(m.text());
    });
    page.on("pageerror", (e: any) => errors.push(String(e)));
    await page.goto(daemon.url + path);
    await page.locator("#page-heading").waitFor();
    return page;
  };
  const shot = async (page: any, name: string) => {
    await page.waitForTimeout(500);
    await page.screenshot({ path: `/tmp/walk/${name}.png` });
  };
  const steps = await import(pathToFileURL(process.argv[2]).href);
  await steps.default({ daemon, open, shot, seed, wt });
} finally {
  console.log("console errors:", errors);
  await browser.close();
  await daemon.stop();
}
