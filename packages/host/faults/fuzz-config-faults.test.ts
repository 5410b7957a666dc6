import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type FuzzRounds,
  fuzz,
  fuzzSeed,
  macroText,
  oddText,
  roundsOf,
  spoilBytes,
  spoilJson,
} from "@galley/engine/testing";
import { afterAll, expect, test } from "vitest";
import { canvasDocument } from "../src/inject/canvas/canvas-document.ts";
import { expandEnvironment } from "../src/secrets/expand-environment.ts";
import { loadConfig } from "../src/config/load-config.ts";
import { readSkills } from "../src/inject/providers/read-skills.ts";
import { renderTemplate } from "../src/inject/session/templates.ts";
import { claimFault } from "./claim-fault.ts";
import { missing, verdictOf, verdictOfAsync } from "./fuzz-verdict.ts";

const root = mkdtempSync(join(tmpdir(), "galley-fuzz-config-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const config = {
  agents: [
    {
      name: "mara",
      command: "true",
      args: ["${HOME}"],
      env: { TOKEN: "${TOKEN:-none}" },
      permissions: "ask",
      providers: [{ type: "skills", folders: ["skills"] }],
      withoutProviders: ["canvas"],
    },
  ],
  providers: [{ type: "rules", file: "RULES.md" }],
  models: {
    default: "local/m",
    providers: [
      { name: "local", baseUrl: "http://127.0.0.1:1/v1", apiKey: "${KEY:-k}", models: ["m", { id: "n", window: 9 }] },
    ],
    overrides: { m: { window: 1000 } },
  },
};
const skill = "---\nname: knots\ndescription: Ties knots.\ntags: [a, {b: c}]\n---\n# Knots\nOver, then under.\n";
const page =
  '<h1 title="x">Hi</h1><script>alert(1)</script><!-- no --><svg><use href="#a"/></svg><form><a href=x>y</a>';

const rounds: FuzzRounds = { few: 200, many: 10_000 };

test(
  `[I8] configurations, skills, templates and pages with something wrong in them (seed ${fuzzSeed})`,
  { timeout: 1_800_000 },
  async ({ task }) => {
    claimFault(task, {
      area: "malformed input",
      fault: "galley.config.json, skills, prompt templates and canvas pages with something wrong in them",
      holds: "they are read or refused with a code; a page never gets a script",
      rounds: roundsOf(rounds),
      seed: fuzzSeed,
    });
    const verdicts = new Set<string>();
    await fuzz("config", rounds, async (chance, round) => {
      const folder = join(root, String(round));
      mkdirSync(join(folder, "skills"), { recursive: true });
      writeFileSync(join(folder, "galley.config.json"), spoilJson(config, chance));
      writeFileSync(join(folder, "skills", "knots.md"), spoilBytes(Buffer.from(skill), chance));
      verdicts.add(await verdictOfAsync(() => loadConfig(folder)));
      await verdictOfAsync(() => readSkills(join(folder, "skills")));
      const text = macroText(chance);
      expect(renderTemplate(text, { char: "x" }).length).toBeLessThanOrEqual(text.length);
      verdictOf(() => void expandEnvironment(`\${${oddText(chance)}:-x}\${A}`, { environment: { A: "1" }, path: "a" }));
      const html = Buffer.from(spoilBytes(Buffer.from(page), chance)).toString("utf8") + oddText(chance);
      expect(canvasDocument({ html, title: oddText(chance) })).not.toMatch(/&lt;script/i);
      rmSync(folder, { recursive: true, force: true });
    });
    expect(missing(verdicts, ["ConfigInvalid", "fine"])).toEqual([]);
  },
);
