import { existsSync, readFileSync, readdirSync } from "node:fs";
import type { ModelMessage } from "@galley/engine";
import { fromOpenAi, fromPi } from "./corpus-formats.ts";
import { type SessionKind, generatedKinds } from "./generated.ts";

export interface Corpus {
  /** Where the sessions come from, for the output. */
  readonly source: string;
  readonly kinds: readonly SessionKind[];
}

const folder = process.env["GALLEY_CORPUS"] ?? "";

/** The corpus that GALLEY_CORPUS names, read at run time and never copied; without it, sessions of our own making. */
export function readCorpus(): Corpus {
  const agent = `${folder}/agent`;
  if (!existsSync(agent)) {
    return { source: "generated sessions (set GALLEY_CORPUS to measure on real ones)", kinds: generatedKinds() };
  }
  const files = readdirSync(agent).sort();
  const json = (name: string): unknown => JSON.parse(readFileSync(`${agent}/${name}`, "utf8"));
  const trajectories = (prefix: string): ModelMessage[][] =>
    files
      .filter((name) => name.startsWith(prefix) && name.endsWith(".traj"))
      .map((name) => fromOpenAi((json(name) as { history: Parameters<typeof fromOpenAi>[0] }).history));
  const tau = (json("tau-bench_gpt-4o-airline.part1.json") as { traj: Parameters<typeof fromOpenAi>[0] }[]).map(
    ({ traj }) => fromOpenAi(traj),
  );
  const pi = readFileSync(`${agent}/large-session.jsonl`, "utf8").split("\n").filter(Boolean);
  return {
    source: "agent sessions of the corpus",
    kinds: [
      kindOf("tau-bench", true, tau),
      kindOf("SWE-agent", false, [...trajectories("sweagent_"), ...trajectories("acr_")]),
      kindOf("pi", true, [fromPi(pi)]),
    ],
  };
}

const plainPrompt = "You are a coding agent. Read before you write, and say what you did.";

function kindOf(name: string, usesTools: boolean, sessions: readonly ModelMessage[][]): SessionKind {
  const system = sessions[0]?.[0];
  return {
    name,
    systemPrompt: system?.role === "system" ? system.content : plainPrompt,
    usesTools,
    sessions: sessions.map((messages) => messages.filter(({ role }) => role !== "system")),
  };
}
