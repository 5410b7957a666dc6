import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { loadTemplate, renderTemplate } from "./templates.ts";

const host = fileURLToPath(new URL("../../..", import.meta.url));
const placeholders: Record<string, readonly string[]> = {
  "core-identity": ["agentName", "archetype", "archetypeDescription", "backendType", "workspacePolicy"],
  "canvas-context": [],
  "tool-instructions": ["toolList", "token"],
};

test.each(Object.entries(placeholders))("[I1] the template %s has its variables", (name, expected) => {
  const template = loadTemplate(name);
  expect(loadTemplate(`${name}.md`)).toBe(template);
  const found = [...template.matchAll(/\{\{(\w+)\}\}/g)].map((match) => String(match[1]));
  expect([...new Set(found)].sort()).toEqual(expected.toSorted());
});

test("[I1] the folder holds these templates and no others", () => {
  expect(globSync("*.md", { cwd: join(host, "prompts") }).sort()).toEqual(
    Object.keys(placeholders)
      .map((name) => `${name}.md`)
      .sort(),
  );
});

test.each([
  "../package",
  "../../package.json",
  "core identity",
  "",
  "/etc/passwd",
  "nothing-here",
  "core-identity.md.md",
])("[I1] %s is not a template", (name) => {
  expect(() => loadTemplate(name)).toThrow(expect.objectContaining({ code: "NotFound" }));
});

test.each([
  ["a {{x}} b", { x: "1" }, "a 1 b"],
  ["{{ x }}{{x}}", { x: "1" }, "11"],
  ["a {{unknown}} b", {}, "a  b"],
  ["{{toString}}{{constructor}}", {}, ""],
  ["{{x}}", { x: "{{y}} $& $1", y: "no" }, "{{y}} $& $1"],
  ["{{}} {x} {{{x}}}", { x: "1" }, " {x} {1}"],
])("[C10] renderTemplate(%j) with %j", (template, vars, expected) => {
  expect(renderTemplate(template, vars)).toBe(expected);
});

test("[I1] an installed package finds its templates", async () => {
  const folder = mkdtempSync(join(tmpdir(), "galley-package-"));
  try {
    const modules = join(folder, "node_modules");
    mkdirSync(join(modules, "galley/dist/inject/session"), { recursive: true });
    mkdirSync(join(modules, "@galley"));
    symlinkSync(join(host, "../engine"), join(modules, "@galley/engine"));
    cpSync(join(host, "prompts"), join(modules, "galley/prompts"), { recursive: true });
    writeFileSync(join(modules, "galley/package.json"), '{"name":"galley","type":"module"}');
    const compiled = join(modules, "galley/dist/inject/session/templates.js");
    writeFileSync(compiled, stripTypeScriptTypes(readFileSync(join(host, "src/inject/session/templates.ts"), "utf8")));
    const installed = (await import(/* @vite-ignore */ pathToFileURL(compiled).href)) as {
      loadTemplate: typeof loadTemplate;
    };
    expect(installed.loadTemplate("core-identity")).toBe(loadTemplate("core-identity"));
  } finally {
    rmSync(folder, { recursive: true });
  }
  const { files } = JSON.parse(readFileSync(join(host, "package.json"), "utf8")) as { files?: string[] };
  // Without the field npm packs everything; with it the folder must be in it.
  expect(files ?? ["prompts"]).toContain("prompts");
});
