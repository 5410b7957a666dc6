import { readFile } from "node:fs/promises";
import { pagePolicy } from "./page-headers.ts";

const files: Readonly<Record<string, string>> = {
  "index.html": "text/html; charset=utf-8",
  "page.js": "text/javascript; charset=utf-8",
  "page.css": "text/css; charset=utf-8",
};

/** The page that shows the OpenAPI document. Only files of this list are ever read. */
export async function docsPage(name: string): Promise<Response> {
  const type = Object.hasOwn(files, name) ? files[name] : undefined;
  if (type === undefined) return new Response(null, { status: 404 });
  const text = await readFile(new URL(`../../../api-page/${name}`, import.meta.url), "utf8");
  return new Response(text, {
    headers: { "content-type": type, "content-security-policy": pagePolicy, "cache-control": "no-cache" },
  });
}
