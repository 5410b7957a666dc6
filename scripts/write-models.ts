// `npm run models`: reduces a maintained catalogue on npm to what the engine needs. Its package is fetched, not installed:
// it depends on the SDKs of all providers.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { plainModelName } from "../packages/engine/src/tokens/counters/tokenizer-family.ts";

const source = "@earendil-works/pi-ai@1.5.0";
/** The maker of a model comes before those who resell it. */
const providers =
  "openai anthropic google mistral deepseek xai meta moonshotai zai minimax xiaomi groq openrouter huggingface".split(
    " ",
  );

interface SourceModel {
  readonly id: string;
  readonly type: string;
  readonly input?: readonly string[];
  readonly contextWindow?: number;
  readonly maxTokens?: number;
  readonly cost?: { readonly input: number; readonly output: number; readonly cacheRead: number };
}

const folder = mkdtempSync(join(tmpdir(), "galley-models-"));
const opening = `// Written by \`npm run models\`.
/* oxlint-disable max-lines */
import type { ModelData } from "./model-info.ts";

export const modelData: ModelData = {`;
try {
  execFileSync("npm", ["pack", "--silent", source], { cwd: folder });
  const archive = readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "";
  execFileSync("tar", ["xzf", archive], { cwd: folder });
  const data = join(folder, "package/dist/providers/data");
  const read = (name: string): unknown => JSON.parse(readFileSync(join(data, name), "utf8"));
  const rows = new Map<string, string>();
  for (const provider of providers) {
    const groups = read(`${provider}.json`) as Readonly<Record<string, Readonly<Record<string, SourceModel>>>>;
    for (const model of Object.values(groups).flatMap((group) => Object.values(group))) addRow(rows, model);
  }
  const { generatedAt } = read(".manifest.json") as { generatedAt: string };
  const head = `  source: ${JSON.stringify(`${source} (MIT)`)},\n  date: ${JSON.stringify(generatedAt.slice(0, 10))},`;
  const body = [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => `    ${row},`);
  const target = new URL("../packages/engine/src/tokens/catalogue/model-data.ts", import.meta.url);
  writeFileSync(target, `${opening}\n${head}\n  models: [\n${body.join("\n")}\n  ],\n};\n`);
  console.log(`${rows.size} models`);
} finally {
  rmSync(folder, { recursive: true });
}

/** Name, window, output, prices for a million tokens in, out and cached, and whether it reads pictures. */
function addRow(rows: Map<string, string>, { id, type, input, contextWindow, maxTokens, cost }: SourceModel): void {
  const name = plainModelName(id);
  const key = name.replaceAll(".", "-");
  if (type !== "chat" || !contextWindow || /[~:]|^auto$/.test(id) || rows.has(key)) return;
  const isFree = !cost || (cost.input === 0 && cost.output === 0);
  const prices = isFree ? [0, 0, 0] : [cost.input, cost.output, cost.cacheRead];
  const output = Math.min(maxTokens ?? 0, contextWindow);
  rows.set(key, JSON.stringify([name, contextWindow, output, ...prices, input?.includes("image") ? 1 : 0]));
}
