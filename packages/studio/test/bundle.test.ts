import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";

const dist = join(import.meta.dirname, "../dist");
const html = readFileSync(join(dist, "index.html"), "utf8");

/** The scripts that a first visit loads before anything shows. */
const initial = [...html.matchAll(/(?:<script[^>]*src|<link rel="modulepreload"[^>]*href)="\/([^"]+)"/g)].map(
  ([, file]) => file ?? "",
);

test("the JavaScript of a first visit is at most 250 kB gzipped", () => {
  expect(initial.length).toBeGreaterThan(1);
  const bytes = initial.reduce((sum, file) => sum + gzipSync(readFileSync(join(dist, file))).length, 0);
  process.stdout.write(`first visit, bytes of JavaScript gzipped: ${bytes}\n`);
  expect(bytes).toBeLessThanOrEqual(250_000);
});

test("the page needs no inline script or style, so that a strict policy holds", () => {
  expect(html).not.toMatch(/<script(?![^>]*src=)/);
  expect(html).not.toMatch(/<style|\son\w+=|javascript:/);
});

test("React is built for production", () => {
  const scripts = initial.map((file) => readFileSync(join(dist, file), "utf8")).join("");
  expect(scripts).toContain("react.transitional.element");
  expect(scripts).not.toContain("Download the React DevTools");
});
