import { createHash } from "node:crypto";
import { readFile, readdir } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { notePage, pagePolicy } from "./page-headers.ts";

const types: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  mjs: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  json: "application/json",
  webmanifest: "application/manifest+json",
  map: "application/json",
  svg: "image/svg+xml",
  png: "image/png",
  ico: "image/x-icon",
  woff2: "font/woff2",
  wasm: "application/wasm",
  txt: "text/plain; charset=utf-8",
};

/** Names that a build gives by content never change what they stand for. */
const hashed = /^assets\/.+-[A-Za-z0-9_-]{8,}\.\w+$/;

/**
 * Gives the file of a path, the page for a path of Studio's own, or nothing. Files are served by their names in the build: no
 * path of a request is ever looked up on the disk.
 */
export function studioFiles(folder = ""): (request: Request) => Promise<Response | undefined> {
  let known: ReadonlyMap<string, string> = new Map();
  return async (request) => {
    const path = decodedPath(request.url);
    if (path === undefined) return undefined;
    // A build that was made meanwhile is found: as long as there is none, every request looks again.
    if (folder !== "" && !known.has("index.html")) known = await filesBelow(folder);
    const file = known.get(path);
    if (file !== undefined && path !== "index.html") return fileResponse(file, path, request);
    // Names of chats may look like those of files: only a request for a page gets one.
    if (path.startsWith("assets/") || !/text\/html|\*\/\*/.test(request.headers.get("accept") ?? "*/*"))
      return undefined;
    const page = known.get("index.html");
    return page === undefined ? notBuilt() : fileResponse(page, "index.html", request);
  };
}

const docsFiles: ReadonlySet<string> = new Set(["index.html", "page.js", "page.css"]);

/** A file of the page that shows the OpenAPI document; nothing for any other name. */
export async function docsFile(name: string, request: Request): Promise<Response | undefined> {
  if (!docsFiles.has(name)) return undefined;
  return fileResponse(new URL(`../../../api-page/${name}`, import.meta.url), name, request);
}

function decodedPath(url: string): string | undefined {
  try {
    return decodeURIComponent(new URL(url).pathname).slice(1);
  } catch {
    return undefined;
  }
}

async function filesBelow(folder: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return new Map(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => [relative(folder, file).split(sep).join("/"), file]),
  );
}

async function fileResponse(file: string | URL, name: string, request: Request): Promise<Response | undefined> {
  const bytes = await readFile(file).catch(() => undefined);
  if (!bytes) return undefined;
  const etag = `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 27)}"`;
  const headers = new Headers({
    "content-type": types[name.split(".").at(-1) ?? ""] ?? "application/octet-stream",
    "cache-control": hashed.test(name) ? "private, max-age=31536000, immutable" : "private, no-cache",
    etag,
  });
  if (name.endsWith(".html")) headers.set("content-security-policy", pagePolicy);
  // An image that is opened by itself is a page too.
  if (name.endsWith(".svg")) headers.set("content-security-policy", "default-src 'none'; style-src 'unsafe-inline'");
  if (request.headers.get("if-none-match") === etag) return new Response(null, { status: 304, headers });
  return new Response(new Uint8Array(bytes), { headers });
}

function notBuilt(): Response {
  return notePage(
    "Galley runs, but Studio is not built",
    [
      "Build it in the folder of the project, then load this page again: <code>npm run studio:build</code>",
      'Everything else is there: <a href="/docs">the API</a>, and the command <code>galley</code>.',
    ],
    200,
  );
}
