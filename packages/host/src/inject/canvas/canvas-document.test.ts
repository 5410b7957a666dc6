import { type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Browser, type Page, chromium as playwright } from "playwright";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { chromiumPath } from "../../../../../scripts/chromium-path.ts";
import { canvasDocument, canvasHeaders } from "./canvas-document.ts";

/** What this file uses of a browser's window; the functions that use it run there. */
interface Window {
  getComputedStyle(element: unknown): { readonly color: string; readonly marginTop: string };
}

let evil: Server;
let studio: Server;
let browser: Browser;
let evilUrl = "";
let studioUrl = "";
const shown = new Map<string, string>();
const reached: string[] = [];

const listen = async (server: Server): Promise<string> => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

beforeAll(async () => {
  evil = createServer((request, response) => {
    reached.push(request.url ?? "");
    response.setHeader("access-control-allow-origin", "*");
    response.end("x");
  });
  studio = createServer((request, response) => {
    const url = request.url ?? "";
    if (url.startsWith("/api")) reached.push(url);
    const headers = url.startsWith("/alone") ? canvasHeaders : { "content-type": "text/html; charset=utf-8" };
    response.writeHead(200, headers).end(shown.get(url) ?? "");
  });
  [evilUrl, studioUrl] = [await listen(evil), await listen(studio)];
  // Not the package's own arguments: they turn parts of the web's security off.
  browser = await playwright.launch({ executablePath: await chromiumPath(), args: ["--no-sandbox"] });
}, 120_000);

afterAll(async () => {
  await browser.close();
  for (const server of [evil, studio]) {
    server.closeAllConnections();
    server.close();
  }
});

/** Below it stands what is meant to be reached, however late it comes. */
const held = "/held-by-nothing";

const reachedByMistake = (): readonly string[] => reached.filter((path) => !path.startsWith(`${held}/`));

/** Each tries something as soon as it is shown. */
const atOnce = (url: string): string[] => [
  `<script>fetch("${url}/script")</script>`,
  `<img src="${url}/img" srcset="${url}/srcset 2x"><img src=x onerror="fetch('${url}/onerror')">`,
  `<link rel=stylesheet href="${url}/css"><link rel=prefetch href="${url}/prefetch"><link rel=preload as=image href="${url}/preload">`,
  `<style>@import "${url}/import"; body{background:url(${url}/background)} @font-face{font-family:x;src:url(${url}/font)} *{font-family:x}</style>`,
  `<meta http-equiv=refresh content="0;url=${url}/refresh"><base href="${url}/"><img src="based">`,
  `<iframe src="${url}/frame"></iframe><object data="${url}/object"></object><embed src="${url}/embed">`,
  `<iframe srcdoc="<img src=${url}/inner>"></iframe>`,
  `<svg onload="fetch('${url}/onload')"><image href="${url}/image" width="9" height="9"/><use href="${url}/use#a"/></svg>`,
  `<video src="${url}/video" poster="${url}/poster" autoplay></video><audio src="${url}/audio" autoplay></audio>`,
  `<div style="background:url(${url}/inline)">x</div><input type=image src="${url}/input"><body background="${url}/body">`,
  `"></iframe><script>fetch("${url}/breakout")</script><img src="${url}/breakout-img">`,
  `&quot;&gt;</iframe><img src="${url}/breakout-escaped">&amp;quot;&gt;<img src="${url}/breakout-twice">`,
  `<svg><style><link rel=prefetch href="${url}/foreign"><img src="${url}/foreign-img"></style></svg>`,
  `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=${url}/mxss onerror=fetch('${url}/mxss2')&gt;">`,
  `<template shadowrootmode=open><img src="${url}/shadow"></template><noscript><img src="${url}/noscript"></noscript>`,
];

const cover = 'style="position:fixed;inset:0;display:block;width:100%;height:100%"';
/** Each tries something when it is clicked. */
const onClick = (url: string): Record<string, string> => ({
  link: `<a href="${url}/link" ${cover}>x</a>`,
  "link to itself": `<a target=_self href="${url}/self" ping="${url}/ping" ${cover}>x</a>`,
  "new window": `<a target=_blank href="${url}/blank" ${cover}>x</a>`,
  "top window": `<a target=_top href="${url}/top" ${cover}>x</a>`,
  download: `<a download href="${url}/download" ${cover}>x</a>`,
  "script link": `<a href="javascript:fetch('${url}/js')" ${cover}>x</a>`,
  form: `<form action="${url}/form"><button ${cover}>x</button></form>`,
  "link of a drawing": `<svg ${cover}><a href="${url}/svg"><rect width="2000" height="2000"/></a></svg>`,
  "old link of a drawing": `<svg ${cover}><a xlink:href="${url}/xlink"><rect width="2000" height="2000"/></a></svg>`,
  "link that a drawing changes": `<svg ${cover}><a id=a><set attributeName="href" to="${url}/set"/><animate attributeName="href" values="javascript:fetch('${url}/animate')" begin="0"/><rect width="2000" height="2000"/></a></svg>`,
  "link to a frame above": `<a target=_parent href="${url}/parent" ${cover}>x</a>`,
  "link to a named frame": `<a target=studio href="${url}/named" ${cover}>x</a>`,
  "link to a data address": `<a href="data:text/html,<img src='${url}/data'>" ${cover}>x</a>`,
  "link to a blob": `<a href="blob:${url}/0b5f3c9e" ${cover}>x</a>`,
  "link to a program": `<a href="mailto:x@${url.replace(/\W+/gu, ".")}" ${cover}>x</a>`,
  "submit of an input": `<input type=submit formaction="${url}/submit" formtarget=_top ${cover}>`,
  "picture that is sent": `<input type=image src="data:," formaction="${url}/picture" ${cover}>`,
  "popover and label": `<label ${cover}><a href="${url}/label" id=l>x</a></label><button popovertarget=l>x</button>`,
  "form of a button": `<form id=f></form><button form=f formaction="${url}/formaction" ${cover}>x</button>`,
});

/** Where the page is in the end: after a moment, unless there is something that the test waits for. */
async function show(
  document: string,
  folder: string,
  act: (page: Page) => Promise<unknown> = () => Promise.resolve(),
  whenOver: (page: Page) => Promise<unknown> = (page) => page.waitForTimeout(500),
): Promise<string> {
  const path = `${folder}/${shown.size}`;
  shown.set(path, document);
  const page = await browser.newPage();
  try {
    await page.goto(studioUrl + path);
    await act(page);
    await whenOver(page);
    return new URL(page.url()).origin;
  } finally {
    await page.close();
  }
}

const click = (page: Page): Promise<void> => page.mouse.click(200, 200);
const framed = (...documents: readonly string[]): string => {
  const sources = documents.map((document) => document.replaceAll("&", "&amp;").replaceAll('"', "&quot;"));
  return `<!doctype html>${sources.map((source) => `<iframe ${cover} sandbox srcdoc="${source}"></iframe>`).join("")}`;
};

test("[I8] these attacks work where nothing holds them back, so that the next tests mean something", async () => {
  const reaches = (...paths: readonly string[]): Promise<unknown> =>
    vi.waitFor(() => expect(paths.filter((path) => !reached.includes(held + path))).toEqual([]), { timeout: 60_000 });
  const attacks = atOnce(evilUrl + held).slice(0, 4);
  const atLoad = ["/script", "/onerror", "/css", "/prefetch", "/preload", "/import", "/background", "/font"];
  await show(attacks.join("\n"), "/open", undefined, () => reaches(...atLoad));
  const link = onClick(evilUrl + held)["link"] ?? "";
  await show(link, "/open", click, () => reaches("/link"));
});

test("[I8] hostile html reaches nothing as it is shown", async () => {
  const attacks = atOnce(evilUrl);
  const documents = [...attacks, attacks.join("")].map((html) => canvasDocument({ html }));
  expect(await show(framed(...documents), "/frame")).toBe(studioUrl);
  const alone = await Promise.all(documents.map((document) => show(document, "/alone")));
  expect(new Set(alone)).toEqual(new Set([studioUrl]));
  expect(reachedByMistake()).toEqual([]);
});

test("[I8] nor does it reach the daemon that serves it, with the rights of the person who looks", async () => {
  const attacks = [...atOnce(`${studioUrl}/api`), ...atOnce("/api"), ...Object.values(onClick("/api"))];
  const documents = attacks.map((html) => canvasDocument({ html }));
  expect(await show(framed(...documents), "/frame", click)).toBe(studioUrl);
  const alone = await Promise.all(documents.map((document) => show(document, "/alone", click)));
  expect(new Set(alone)).toEqual(new Set([studioUrl]));
  expect(reachedByMistake()).toEqual([]);
});

test.each(Object.keys(onClick("")))("[I8] nor when it is clicked: %s", async (name) => {
  const document = canvasDocument({ html: onClick(evilUrl)[name] ?? "" });
  expect(await show(framed(document), "/frame", click)).toBe(studioUrl);
  expect(await show(document, "/alone", click)).toBe(studioUrl);
  expect(reachedByMistake()).toEqual([]);
});

const ways: Record<string, (page: Page) => Promise<unknown>> = {
  "the middle button": (page) => page.mouse.click(200, 200, { button: "middle" }),
  "the Control key": async (page) => {
    await page.keyboard.down("Control");
    await click(page);
    await page.keyboard.up("Control");
  },
  "the Shift key": async (page) => {
    await page.keyboard.down("Shift");
    await click(page);
    await page.keyboard.up("Shift");
  },
  "the keyboard": async (page) => {
    await click(page);
    for (const key of ["Tab", "Enter", "Tab", "Enter", "Space"]) await page.keyboard.press(key);
  },
};

test.each(Object.keys(ways))("[I8] nor when its links are used with %s", async (way) => {
  const act = ways[way] ?? click;
  for (const name of ["link", "new window", "link of a drawing"]) {
    const document = canvasDocument({ html: onClick(evilUrl)[name] ?? "" });
    expect(await show(framed(document), "/frame", act)).toBe(studioUrl);
    expect(await show(document, "/alone", act)).toBe(studioUrl);
  }
  expect(reachedByMistake()).toEqual([]);
  expect(browser.contexts().flatMap((context) => context.pages())).toEqual([]);
});

test("[I8] a link in a sandbox does lead out of it with the middle button, so that the test before means something", async () => {
  const document = `<!doctype html><iframe ${cover} sandbox srcdoc='${onClick(evilUrl + held)["link"] ?? ""}'></iframe>`;
  const middle = (page: Page): Promise<void> => page.mouse.click(200, 200, { button: "middle" });
  const before = reached.length;
  await show(document, "/open", middle, () =>
    vi.waitFor(() => expect(reached.slice(before)).toContain(`${held}/link`)),
  );
});

test("[I8] what is harmless is shown: styles, tables, drawings, embedded pictures", async () => {
  const pixel = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==";
  const html = `<!doctype html><html><head><style>p { color: rgb(1, 2, 3) } @media (width >= 1px) { p { margin: 7px } }</style></head>
    <body><p id="p">资料 &amp; 1 &lt; 2 "quoted"</p><img id="i" src="${pixel}">
    <svg viewBox="0 0 9 9" width="90"><linearGradient id="g"></linearGradient><rect id="r" width="9" height="9"/></svg></body></html>`;
  let seen: unknown;
  await show(framed(canvasDocument({ html, title: 'A "title"' })), "/frame", async (page) => {
    const inner = page.frameLocator("iframe").frameLocator("iframe");
    seen = {
      text: await inner.locator("#p").textContent(),
      colour: await inner
        .locator("#p")
        .evaluate((element) => (globalThis as unknown as Window).getComputedStyle(element).color),
      margin: await inner
        .locator("#p")
        .evaluate((element) => (globalThis as unknown as Window).getComputedStyle(element).marginTop),
      box: (await inner.locator("#r").boundingBox())?.width,
      picture: await inner
        .locator("#i")
        .evaluate((element) => (element as unknown as { naturalWidth: number }).naturalWidth),
    };
  });
  expect(seen).toEqual({ text: '资料 & 1 < 2 "quoted"', colour: "rgb(1, 2, 3)", margin: "7px", box: 90, picture: 1 });
});
