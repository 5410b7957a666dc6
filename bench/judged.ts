import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { BenchReport, Claim } from "./claim.ts";
import { inMs } from "./measure.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Tests that count something which was promised as a figure; each prints it. */
const files = [
  "packages/host/src/turn/call/sdk-requests.test.ts",
  "packages/host/src/cli/commands/exchange/import-corpus.test.ts",
  "packages/studio/test/compose-scale.test.ts",
  "packages/studio/test/bundle.test.ts",
];

/** What tests judge: they are run, and what they print is read. */
export async function judgedReport(): Promise<BenchReport> {
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const projects = ["processes", "host", "pages"].flatMap((name) => ["--project", name]);
  const run = spawnSync(process.execPath, [vitest, "run", "--no-color", "--reporter=default", ...projects, ...files], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  const printed = run.stdout;
  const hasCorpus = existsSync(join(process.env["GALLEY_CORPUS"] ?? "", "expected"));
  if (run.status !== 0) process.stderr.write(`${printed}\n${run.stderr}\n`);
  return {
    claims: [
      ...orMissing("the official SDKs", sdkClaims(printed), 2),
      ...orMissing("SillyTavern", tavernClaims(printed), hasCorpus ? 1 : 0),
      ...orMissing("Studio", studioClaims(printed), 4),
    ],
    notes: [
      `From the tests ${files.map((file) => file.split("/").at(-1)).join(", ")}, run for this${run.status === 0 ? "" : "; not all of them passed"}.`,
      "Official SDKs: openai (two protocols), @anthropic-ai/sdk, @google/genai and ai (four protocols) send each turn to a local server that judges requests by rules of its own, written from the SDKs' types. The ratio is the number of refusals.",
      ...(hasCorpus
        ? [
            "SillyTavern: what version 1.19.0 sent for 26 combinations of card, books, preset and chat; the ratio is the number of those that are equal, message by message.",
          ]
        : ["SillyTavern's recorded cases are not here: set GALLEY_CORPUS."]),
      "Studio: 408 templates, 65 steps and 3,001 messages, in a real Chromium.",
    ],
  };
}

/** A test that came to no end has printed nothing, and that must not look like a promise that was never made. */
function orMissing(about: string, claims: readonly Claim[], expected: number): readonly Claim[] {
  if (claims.length >= expected) return claims;
  const missing = expected - claims.length;
  const gap = "A test came to no end; what it said is in the output of the run.";
  const row = { claim: `figures about ${about} that are missing`, against: "none", peer: "0", own: String(missing) };
  return [...claims, { ...row, ratio: missing, limit: 0, gap }];
}

function sdkClaims(printed: string): Claim[] {
  const found = printed.matchAll(
    /^(.*?)(\d+) turns (of openGalley )?by (\d+) ways: (?:(\d+) requests, )?(\d+) refused$/gm,
  );
  return [...found].map(([, , turns = "", isHost, ways = "", , refused = ""]): Claim => ({
    claim: `turns of ${isHost ? "openGalley" : "the engine"} by the official SDKs`,
    against: "none refused",
    peer: `${turns} turns in ${ways} ways`,
    own: `${refused} refused`,
    ratio: Number(refused),
    limit: 0,
  }));
}

function tavernClaims(printed: string): Claim[] {
  const cases = [...printed.matchAll(/^(equal {2}|differs) {2}(\S+) {2}\d+ messages/gm)];
  const equal = cases.filter(([, verdict]) => verdict !== "differs").length;
  if (cases.length === 0) return [];
  return [
    {
      claim: "recorded cases of SillyTavern that are equal",
      against: "what it sent",
      peer: `${cases.length} cases`,
      own: `${equal} equal`,
      ratio: equal,
      least: 24,
    },
  ];
}

interface EditFigures {
  readonly edit: number;
  readonly engineAlone: number;
  readonly engineWithinEdit: number;
  readonly ofAlone: number;
  readonly ofWithin: number;
  readonly elements: number;
}

function studioClaims(printed: string): Claim[] {
  const line = /^check 22, ms and ratios: (.*)$/m.exec(printed)?.[1];
  const bytes = Number(/^first visit, bytes of JavaScript gzipped: (\d+)$/m.exec(printed)?.[1]);
  const claims: Claim[] = [];
  if (line !== undefined) {
    const { edit, engineAlone, engineWithinEdit, ofAlone, ofWithin, elements } = JSON.parse(line) as EditFigures;
    const claim = "Studio: an edit until the preview shows it";
    claims.push(
      {
        claim,
        against: "the engine alone, same build",
        peer: inMs(engineAlone),
        own: inMs(edit),
        ratio: ofAlone,
        limit: 3,
      },
      { claim, against: "the engine within that edit", peer: inMs(engineWithinEdit), own: inMs(edit), ratio: ofWithin },
      limited("Studio: elements in that page", 5000, elements, ""),
    );
  }
  if (!Number.isNaN(bytes))
    claims.push(limited("Studio: JavaScript of a first visit, gzipped", 250, bytes / 1000, " kB"));
  return claims;
}

function limited(claim: string, allowed: number, own: number, unit: string): Claim {
  const words = (value: number): string => `${value.toFixed(0)}${unit}`;
  return { claim, against: "what is allowed", peer: words(allowed), own: words(own), ratio: own / allowed, limit: 1 };
}
