import { type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Browser, type Page, chromium as playwright } from "playwright";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { chromiumPath } from "../../../../scripts/chromium-path.ts";
import { testDaemon } from "./testing/temp-daemon.ts";

let browser: Browser;
let evil: Server;
let evilUrl = "";

beforeAll(async () => {
  evil = createServer((_, response) => response.setHeader("content-type", "text/html").end("<title>evil</title>"));
  await new Promise<void>((resolve) => evil.listen(0, "127.0.0.1", resolve));
  evilUrl = `http://127.0.0.1:${(evil.address() as AddressInfo).port}`;
  // Not the package's own arguments: they turn parts of the web's security off.
  browser = await playwright.launch({ executablePath: await chromiumPath(), args: ["--no-sandbox"] });
}, 120_000);

afterAll(async () => {
  await browser.close();
  evil.closeAllConnections();
  evil.close();
});

async function newPage(): Promise<{ readonly page: Page; readonly errors: string[] }> {
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const errors: string[] = [];
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  page.on("pageerror", (error) => errors.push(error.message));
  return { page, errors };
}

/** Runs in a page: the status of an answer, or `refused` when the browser gives none. */
const statusOf = async ([url, method]: readonly [url: string, method: string]): Promise<number | string> => {
  try {
    return (await fetch(url, { method, credentials: "include" })).status;
  } catch {
    return "refused";
  }
};

test("[P6] a browser comes in by the link, reads the API's page and changes something; without the link it is sent away", async () => {
  const own = await testDaemon();
  const { page, errors } = await newPage();
  await page.goto(own.url);
  expect(await page.textContent("body")).toContain("galley open");
  errors.length = 0;
  await page.goto(own.daemon.link());
  expect(new URL(page.url()).pathname).toBe("/");
  await page.goto(`${own.url}/docs`);
  await page.waitForSelector("details");
  await page.fill("#find", "presets.save");
  await page.click("summary");
  await page.waitForSelector("details pre");
  expect(await page.textContent("details")).toContain("expectedVersion");
  expect(await page.evaluate(statusOf, ["/api/chats/demo/clear", "POST"] as const)).toBe(200);
  // Nothing that the page needs is forbidden by its own policy.
  expect(errors).toEqual([]);
});

test("[P6] a page of another port gets nothing, although the browser sends it the cookie", async () => {
  const own = await testDaemon();
  const { page } = await newPage();
  await page.goto(own.daemon.link());
  await page.goto(evilUrl);
  expect(await page.evaluate(statusOf, [`${own.url}/api/info`, "GET"] as const)).toBe("refused");
  expect(await page.evaluate(statusOf, [`${own.url}/api/chats/demo/clear`, "POST"] as const)).toBe("refused");
  await own.daemon.close();
  const lines = own.log().split("\n");
  // The requests came, and were answered with nothing but a refusal.
  expect(lines.filter((line) => line.includes('"status":403'))).toHaveLength(2);
  expect(lines.some((line) => line.includes("/clear") && line.includes('"status":200'))).toBe(false);
});

test("[P6] no other site shows our pages in a frame", async () => {
  const own = await testDaemon();
  const { page } = await newPage();
  await page.goto(own.daemon.link());
  await page.goto(evilUrl);
  const [frame] = await Promise.all([
    page.waitForEvent("frameattached"),
    page.evaluate(`document.body.innerHTML = '<iframe src="${own.url}/docs"></iframe>'`),
  ]);
  await frame.waitForLoadState().catch(() => undefined);
  expect(await frame.content().catch(() => "")).not.toContain("Galley API");
});
