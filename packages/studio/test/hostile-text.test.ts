import { type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { readFile } from "node:fs/promises";
import type { Page } from "playwright";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { pathTo } from "../src/frame/routes.ts";
import { startStubProvider } from "./stub-provider.ts";
import { expectAccessible, settle, useStudio } from "./use-studio.ts";

const stub = await startStubProvider();
const studio = useStudio({ args: ["--config", stub.configFolder] });
afterAll(() => stub.stop());

/** Where a page would call if a text could make it. */
let evil: Server;
let evilUrl = "";
const reached: string[] = [];

beforeAll(async () => {
  evil = createServer((request, response) => {
    if (request.url === "/unguarded") {
      response.setHeader("content-type", "text/html").end(`<body>${payload("control")}</body>`);
      return;
    }
    reached.push(request.url ?? "");
    response.setHeader("access-control-allow-origin", "*").end("x");
  });
  await new Promise<void>((resolve) => evil.listen(0, "127.0.0.1", resolve));
  evilUrl = `http://127.0.0.1:${(evil.address() as AddressInfo).port}`;
  await seedHostile();
});
afterAll(() => {
  evil.closeAllConnections();
  evil.close();
});
beforeEach(() => void reached.splice(0));

/** HTML, markdown, links and drawings that do something as soon as one of them is taken for what it says. */
function payload(place: string): string {
  return [
    `${place} <img src="${evilUrl}/img-${place}" onerror="window.hacked=1;fetch('${evilUrl}/onerror')">`,
    `<script>window.hacked=1;fetch("${evilUrl}/script")</script><svg onload="window.hacked=1"><image href="${evilUrl}/svg"/></svg>`,
    `<iframe src="${evilUrl}/frame"></iframe><a href="javascript:window.hacked=1">link</a>`,
    `![picture](${evilUrl}/markdown.png) [click](javascript:window.hacked=1) [data](data:text/html,<script>1</script>)`,
    `</textarea></title></style><style>@import "${evilUrl}/css";</style>{{constructor.constructor("window.hacked=1")()}}`,
  ].join(" ");
}

/** The same for names, which are short. */
function hostileName(place: string): string {
  return `${place} <img src="${evilUrl}/${place}" onerror="window.hacked=1">`;
}

const chat = '<img src=x onerror="window.hacked=1">';
const session = "chat:hostile";

async function seedHostile(): Promise<void> {
  const { ask } = studio.daemon;
  const preset = {
    name: hostileName("preset"),
    messageTemplates: [
      { id: "t1", name: hostileName("template"), role: "system" as const, content: payload("content") },
    ],
    contextRecipes: [
      { id: "r1", name: hostileName("recipe"), modelFilter: ["*"], steps: [{ messageId: "t1", enabled: true }] },
    ],
  };
  await ask("presets.save", {
    params: { id: "hostile" },
    body: { preset, expectedVersion: 0, label: hostileName("label") },
  });
  for (const key of [chat, "hostile"]) {
    const image = { type: "image" as const, image: `${evilUrl}/image-part.png`, mediaType: "image/svg+xml" };
    const messages = [
      { role: "user" as const, content: [{ type: "text" as const, text: payload("user") }, image] },
      { role: "assistant" as const, content: payload("assistant") },
    ];
    await ask("chats.add", { params: { key }, body: { messages } });
    await ask("chats.new", { params: { key }, body: { title: hostileName("title"), reason: hostileName("reason") } });
    await ask("runs.start", { body: { chat: key, model: "demo", preset: "hostile", input: payload("input") } });
    await ask("runs.start", { body: { chat: key, model: "demo", preset: "hostile", input: payload("again") } });
  }
}

/** What of the text has become more than text. */
function comeAlive(page: Page): Promise<readonly string[]> {
  return page.evaluate((url) => {
    const found = [...document.querySelectorAll("[src], [href], script:not([src]), style, iframe, object, embed")];
    const alive = found.filter((element) => {
      const address = element.getAttribute("src") ?? element.getAttribute("href") ?? "";
      const isInline = ["SCRIPT", "STYLE", "IFRAME", "OBJECT", "EMBED"].includes(element.tagName) && address === "";
      // A link of a model's Markdown does nothing by itself, and tells the other site nothing.
      if (element.matches("a[target=_blank][rel~=noopener][rel~=noreferrer]") && /^https?:/.test(address)) return false;
      return isInline || address.startsWith(url) || /^(?:javascript|data|vbscript):/i.test(address.trim());
    });
    return ["hacked" in window ? "a script ran" : "", ...alive.map(({ outerHTML }) => outerHTML)].filter(Boolean);
  }, evilUrl);
}

test("the texts do harm where nothing holds them back, so that the next tests mean something", async () => {
  const page = await studio.open("/settings", { expects: [] });
  await page.goto(`${evilUrl}/unguarded`);
  await expect.poll(() => reached.length).toBeGreaterThan(3);
  expect((await comeAlive(page)).length).toBeGreaterThan(2);
});

const views: Readonly<Record<string, () => readonly [path: string, seen: string]>> = {
  home: () => [pathTo("home", {}), "preset <img"],
  presets: () => [pathTo("compose", {}), "preset <img"],
  compose: () => [pathTo("compose", { preset: "hostile" }), "content <img"],
  chats: () => [pathTo("chats", {}), "user <img"],
  "a chat with a hostile name": () => [pathTo("chats", { key: chat }), "input <img"],
  "a chat": () => [pathTo("chats", { key: "hostile" }), "title <img"],
  session: () => [pathTo("sessions", { id: session }), "user <img"],
  call: () => [pathTo("call", { id: session, n: "1" }), "content <img"],
  compare: () => [pathTo("compare", {}, { left: `${session}#1`, right: `${session}#2` }), "again <img"],
};

test.each(Object.entries(views))("what a prompt says is text on the page: %s", async (_, viewOf) => {
  const [path, seen] = viewOf();
  const page = await studio.open(path);
  const dialogs: string[] = [];
  page.on("dialog", (dialog) => void dialogs.push(dialog.message()));
  await settle(page);
  // It is there, to be read as it was written.
  await expect.poll(() => page.locator("body").innerText()).toContain(seen);
  expect(await comeAlive(page)).toEqual([]);
  expect(dialogs).toEqual([]);
  expect(reached).toEqual([]);
});

test("a raw request is text too, as a tree and as it went out", async () => {
  const body = { chat: "raw", model: stub.model, preset: "hostile", input: payload("sent") };
  const run = studio.daemon.ask("runs.start", { body });
  await stub.say("Heard.");
  await stub.end();
  await run;
  const page = await studio.open(pathTo("call", { id: "chat:raw", n: "1" }, { part: "raw" }));
  await page.getByRole("searchbox").fill("sent <img");
  const tree = page.getByRole("region", { name: "Raw" });
  await tree.getByText("sent <img").first().waitFor();
  expect(await comeAlive(page)).toEqual([]);
  await page.getByRole("button", { name: "As text" }).click();
  await expect.poll(() => page.locator("textarea[data-raw]").inputValue()).toContain("sent <img");
  expect(await comeAlive(page)).toEqual([]);
  expect(reached).toEqual([]);
});

test("a card that is imported is text too, in the report and in what it would become", async () => {
  const page = await studio.open("/import");
  const data = { name: payload("name"), description: payload("description"), creator_notes: payload("notes") };
  const greeting = { first_mes: payload("first"), mes_example: "", personality: "", scenario: payload("scenario") };
  const text = JSON.stringify({ spec: "chara_card_v2", spec_version: "2.0", data: { ...data, ...greeting } });
  const file = { name: `${chat}.json`, mimeType: "application/json", buffer: Buffer.from(text) };
  await page.setInputFiles("input[type=file]", file);
  await expect.poll(() => page.locator("body").innerText()).toContain("description <img");
  expect(await comeAlive(page)).toEqual([]);
  expect(reached).toEqual([]);
});

test("even markup that got into a page could neither run nor call: the policy of the page forbids it", async () => {
  const page = await studio.open("/chats/hostile", { expects: ["forbidden by the policy"] });
  const wanted = ["img-src", "script-src-elem", "connect-src", "frame-src"];
  const given = { html: payload("policy"), directives: wanted };
  const forbidden = await page.evaluate(async ({ html, directives }) => {
    const kinds: string[] = [];
    const isAll = Promise.withResolvers<void>();
    document.addEventListener("securitypolicyviolation", (event) => {
      kinds.push(event.effectiveDirective);
      if (directives.every((directive) => kinds.includes(directive))) isAll.resolve();
    });
    const place = document.createElement("div");
    document.body.append(place);
    place.innerHTML = html;
    const script = document.createElement("script");
    script.textContent = "window.hacked = 1";
    place.append(script);
    await fetch((/src="([^"]+)/.exec(html) ?? [])[1] ?? "").catch(() => undefined);
    // What is forbidden is told one by one, each as soon as it is tried.
    await Promise.race([isAll.promise, new Promise((resolve) => setTimeout(resolve, 60_000))]);
    await new Promise((resolve) => setTimeout(resolve, 200));
    return kinds;
  }, given);
  expect(forbidden).toEqual(expect.arrayContaining(wanted));
  expect(await page.evaluate(() => "hacked" in window)).toBe(false);
  await page.getByRole("link", { name: "link", exact: true }).last().click({ force: true, noWaitAfter: true });
  expect(await page.evaluate(() => "hacked" in window)).toBe(false);
  expect(reached).toEqual([]);
});

const markdown = [
  "# Fuel\n\nThe tax is **420** per *litre*, see [the law](https://law.example/7) and <b>this</b>.",
  "| cargo | kg |\n|---|---|\n| tea | 40 |",
  "```ts\nconst tax: number = 420; // a litre\n```",
  String.raw`So \(a^2 + b^2\) holds, and it costs $5.`,
  "![a map](http://127.0.0.1:9/map.png) [no](javascript:window.hacked=1) [here](/settings)",
].join("\n\n");

test("check 26: a reply is set as Markdown: code, tables, formulas and links; HTML stays text, and no picture is loaded", async () => {
  const body = {
    messages: [
      { role: "user" as const, content: "**typed**" },
      { role: "assistant" as const, content: markdown },
    ],
  };
  await studio.daemon.ask("chats.add", { params: { key: "markdown" }, body });
  const page = await studio.open("/chats/markdown");
  const reply = page.locator('article[data-role="assistant"]');
  await expect.poll(() => reply.locator("pre .hljs-keyword").allInnerTexts()).toEqual(["const"]);
  await expect.poll(() => reply.locator("td").allInnerTexts()).toEqual(["tea", "40"]);
  await expect.poll(() => reply.locator("math mo").allTextContents()).toEqual(["+"]);
  await expect.poll(() => reply.innerText()).toContain("and <b>this</b>.");
  await expect.poll(() => reply.innerText()).toContain("it costs $5.");
  await expect.poll(() => reply.locator("a[target=_blank]").allInnerTexts()).toEqual(["the law", "[Picture: a map]"]);
  await expect.poll(() => reply.locator("img, a:not([target=_blank])").count()).toBe(0);
  await expect.poll(() => page.locator('article[data-role="user"]').innerText()).toContain("**typed**");
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await reply.getByRole("button", { name: "Copy code" }).click();
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toBe("const tax: number = 420; // a litre\n");
  await expectAccessible(page);
});

test("check 28: a chat goes out as Markdown and as JSON, and what is written but not sent survives a reload", async () => {
  const page = await studio.open("/chats/markdown");
  const exported = async (name: string): Promise<string> => {
    await page.getByRole("button", { name: "Export" }).click();
    const download = page.waitForEvent("download");
    await page.getByRole("menuitem", { name }).click();
    return readFile(await (await download).path(), "utf8");
  };
  expect(await exported("Export as Markdown")).toMatch(
    /^# markdown\n\n## You · .*\n\n\*\*typed\*\*\n\n## Assistant · /,
  );
  const { messages } = JSON.parse(await exported("Export as JSON")) as { messages: { content: string }[] };
  expect(messages.map(({ content }) => content)).toEqual(["**typed**", markdown]);
  const box = page.getByRole("textbox", { name: "Message", exact: true });
  await box.pressSequentially("half a thought");
  await page.reload();
  await expect.poll(() => box.inputValue()).toBe("half a thought");
});

test("a reply is shown as it was written where the part of Studio that sets Markdown cannot be loaded", async () => {
  const page = await studio.open("/", { expects: ["daemon away"] });
  await page.route("**/assets/markdown-*", (route) => route.abort("connectionrefused"));
  await page.goto(`${studio.daemon.url}/chats/markdown`);
  await expect.poll(() => page.locator('article[data-role="assistant"]').innerText()).toContain("The tax is **420**");
});
