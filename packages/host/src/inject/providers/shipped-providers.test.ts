import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { McpConfigProvider } from "./mcp-config-provider.ts";
import { Redactor } from "../../secrets/redactor.ts";
import { RulesContextProvider } from "./rules-context-provider.ts";
import { SkillsContextProvider } from "./skills-context-provider.ts";

let folder = "";
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "galley-providers-"))));
afterEach(() => rmSync(folder, { recursive: true }));

function put(name: string, content: unknown): string {
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  return file;
}

test("[I1] rules come from a file, with its name, and are read again each time", async () => {
  const provider = new RulesContextProvider({ file: put("AGENTS.md", "\uFEFFUse tabs.\n") });
  expect([provider.name, provider.required]).toEqual(["rules", false]);
  expect(await provider.getSystemContext()).toBe("## Rules (AGENTS.md)\n\nUse tabs.");
  put("AGENTS.md", " \n");
  expect(await provider.getSystemContext()).toBeUndefined();
  put("AGENTS.md", "x".repeat(300_000));
  await expect(provider.getSystemContext()).rejects.toMatchObject({ code: "FileUnreadable" });
  rmSync(join(folder, "AGENTS.md"));
  await expect(provider.getSystemContext()).rejects.toMatchObject({ code: "FileNotFound" });
});

function skills(): SkillsContextProvider {
  put(
    "skills/pdf/SKILL.md",
    '---\nname: pdf-forms\ndescription: >-\n  Fill in PDF forms:\n  fields, "boxes".\n---\n# PDF\n\nRead reference.md.',
  );
  put("skills/pdf/reference.md", "the reference");
  put("skills/notes.md", "# Notes\n\nHow notes are kept.\nMore.");
  put("skills/data/table.csv", "1");
  put("more/pdf.md", "---\r\nname: pdf-forms\r\ndescription: hidden by the first\r\n---\r\nx");
  put("more/empty.md", "");
  return new SkillsContextProvider({ folders: [join(folder, "skills"), join(folder, "more")] });
}

test("[I1] skills are listed by name and description, the first of a name wins", async () => {
  const provider = skills();
  expect(await provider.getSystemContext()).toBe(
    [
      "## Skills",
      "",
      "Before work that one of these skills is about, read it with `galley_skill_read`.",
      "",
      "- notes: How notes are kept.",
      '- pdf-forms: Fill in PDF forms: fields, "boxes".',
      "- empty",
    ].join("\n"),
  );
  expect(await provider.getTools()).toMatchObject([
    { name: "galley_skill_read", rpcMethod: "skill.read", scope: "all", parameters: { required: ["name"] } },
  ]);
});

test("[I1] a skill and the files in its folder are read on demand, and nothing else is", async () => {
  const provider = skills();
  put("secret.txt", "secret");
  symlinkSync(join(folder, "secret.txt"), join(folder, "skills/pdf/link.txt"));
  expect(await provider.read({ name: "pdf-forms" })).toContain("Read reference.md.");
  expect(await provider.read({ name: "pdf-forms", file: "reference.md" })).toBe("the reference");
  const outside = ["../notes.md", "../../secret.txt", join(folder, "secret.txt"), "link.txt", ".", "none.md"];
  for (const file of outside) {
    await expect(provider.read({ name: "pdf-forms", file })).rejects.toMatchObject({ code: "NotFound" });
  }
  await expect(provider.read({ name: "notes", file: "notes.md" })).rejects.toMatchObject({ code: "NotFound" });
  await expect(provider.read({ name: "../pdf" })).rejects.toMatchObject({ code: "NotFound", path: "name" });
  await expect(provider.read({ nom: "pdf" })).rejects.toMatchObject({ code: "ContextInvalidInput" });
});

test("[I1] no skills: no tool and no text; a folder that is missing and YAML that is none are told", async () => {
  mkdirSync(join(folder, "none"));
  const empty = new SkillsContextProvider({ folders: [join(folder, "none")] });
  expect([await empty.getTools(), await empty.getSystemContext()]).toEqual([[], undefined]);
  const missing = new SkillsContextProvider({ folders: [join(folder, "nowhere")] });
  await expect(missing.getTools()).rejects.toMatchObject({ code: "FileNotFound" });
  put("odd/a.md", "---\nname: [\n---\n");
  const odd = new SkillsContextProvider({ folders: [join(folder, "odd")] });
  await expect(odd.getSystemContext()).rejects.toMatchObject({ code: "ConfigInvalid", path: join(folder, "odd/a.md") });
});

test("[I1] servers of a .mcp.json, with variables put in, and what must not be shown is known", async () => {
  const file = put(".mcp.json", {
    mcpServers: {
      github: { command: "npx", args: ["-y", "server", "--key=${KEY}"], env: { TOKEN: "${KEY}-1", MODE: "literal" } },
      remote: { type: "http", url: "https://${HOST:-example.com}/mcp", headers: { Authorization: "Bearer ${KEY}" } },
      old: { type: "sse", url: "https://x/sse" },
      untyped: { url: "https://y/mcp" },
      streamable: { type: "streamable-http", url: "https://z/mcp" },
      bare: { type: "stdio", command: "run", disabled: true },
    },
    inputs: [],
  });
  const redactor = new Redactor();
  const provider = new McpConfigProvider({ file, environment: { KEY: "k3y-value" }, redactor });
  expect(await provider.getMcpServers()).toEqual([
    {
      name: "github",
      command: "npx",
      args: ["-y", "server", "--key=k3y-value"],
      env: [
        { name: "TOKEN", value: "k3y-value-1" },
        { name: "MODE", value: "literal" },
      ],
    },
    {
      type: "http",
      name: "remote",
      url: "https://example.com/mcp",
      headers: [{ name: "Authorization", value: "Bearer k3y-value" }],
    },
    { type: "sse", name: "old", url: "https://x/sse", headers: [] },
    { type: "http", name: "untyped", url: "https://y/mcp", headers: [] },
    { type: "http", name: "streamable", url: "https://z/mcp", headers: [] },
    { name: "bare", command: "run", args: [], env: [] },
  ]);
  expect(redactor.redact("k3y-value-1 k3y-value literal")).toBe("‹secret:TOKEN› ‹secret:KEY› ‹secret:MODE›");
});

test.each<[string, unknown, Readonly<Record<string, unknown>>]>([
  ["no JSON", "{", { code: "InvalidJson" }],
  ["no servers", {}, { code: "ConfigInvalid", path: "mcpServers" }],
  ["a server that is nothing", { mcpServers: { a: {} } }, { code: "ConfigInvalid" }],
  [
    "a variable that is not set",
    { mcpServers: { a: { command: "x", env: { B: "${UNSET}" } } } },
    { path: "mcpServers.a.env.B" },
  ],
])("[I4] a .mcp.json with %s is told", async (_, content, expected) => {
  const provider = new McpConfigProvider({ file: put(".mcp.json", content), environment: {} });
  await expect(provider.getMcpServers()).rejects.toMatchObject({ name: "GalleyError", ...expected });
});

test("[E] a skill whose front matter would grow without end is refused, and so is one that is too large", async () => {
  // Each name stands for nine of the one before: a billion in the end.
  const lines = Array.from("abcdefghij", (name, index) => {
    const inner = index === 0 ? "x" : `*${"abcdefghij".charAt(index - 1)}`;
    return `${name}: &${name} [${Array.from({ length: 9 }, () => inner).join(", ")}]`;
  });
  const provider = new SkillsContextProvider({ folders: [join(folder, "bomb")] });
  put("bomb/a.md", `---\n${lines.join("\n")}\n---\nText.`);
  await expect(provider.getSystemContext()).rejects.toMatchObject({ code: "ConfigInvalid" });
  put("bomb/a.md", `---\nname: large\n---\n${"x".repeat(300 * 1024)}`);
  await expect(provider.getSystemContext()).rejects.toMatchObject({ code: "FileUnreadable" });
});
