import type { BuildStats, Problem, ToolSpec } from "@galley/engine";
import { type TokenSource, tokensBySource } from "@galley/engine/proof";
import { type SettingInForce, settingsInForce } from "../../config/context-settings.ts";
import { specOf } from "../../tools/tool-specs.ts";
import { accountOf, tokensOf } from "../call/account-of.ts";
import { type BuiltCall, buildCall } from "../call/build-call.ts";
import { isSameTools, lastBuild, toolHashes } from "../call/last-build.ts";
import { commonPrefix } from "../../limits/common-prefix.ts";
import { plainCompactor } from "../call/resolve-compactor.ts";
import { type TurnSettings, budgetOf } from "../call/resolve-settings.ts";
import type { LoopPlace } from "../places/turn-place.ts";
import type { Services } from "../services/services.ts";
import { type OwnGroup, ownToolGroups } from "../tools/own-tool-names.ts";
import { toolsFor } from "../tools/tools-for.ts";

/** How full the window of the next call of a place would be, and of what. */
export interface ContextFill {
  readonly session: string;
  readonly model: string;
  /** The most that may be sent, and the size that a cut goes down to. */
  readonly budget: number;
  readonly target: number;
  readonly stats: BuildStats;
  readonly digest: string;
  readonly bySource: Readonly<Record<TokenSource, number>>;
  /** Every tool of the place, also those of Galley's own that are switched off. */
  readonly tools: readonly {
    readonly name: string;
    readonly tokens: number;
    /** Of Galley's own, which a setting switches; absent for what others bring. */
    readonly group?: OwnGroup;
    readonly isOffered: boolean;
  }[];
  /** Tokens in front that are the same as in the call before: a provider may have them cached. */
  readonly cachedPrefix: number;
  /** Whether the next call would cut. */
  readonly compacted: boolean;
  /** A model or somebody's function would write the summary; here an extract stands for it. */
  readonly isSummaryElsewhere: boolean;
  readonly settings: readonly SettingInForce[];
  readonly problems: readonly Problem[];
}

type FilledPlace = Pick<LoopPlace, "session" | "systemPrompt" | "tools" | "entries" | "pending" | "unkept" | "caller">;

/** Builds the next call as the call itself would, but asks no model for a summary: a person who looks must not pay [T14]. */
export async function contextFill(
  parts: Services,
  place: FilledPlace,
  plan: TurnSettings,
  problems: readonly Problem[],
): Promise<ContextFill> {
  const isSummaryElsewhere = plan.compactor !== undefined && plan.compactor !== plainCompactor;
  const asked = isSummaryElsewhere ? { ...plan, compactor: plainCompactor } : plan;
  const built = await buildCall(parts, place, asked, { problems });
  const account = accountOf(plan.model.tokenizer);
  const budget = budgetOf(plan.config);
  return {
    session: place.session,
    model: plan.model.id,
    budget,
    target: Math.floor(budget * plan.settings.targetRatio),
    stats: built.stats,
    digest: built.digest,
    bySource: tokensBySource(built, account),
    tools: (await everyTool(parts, place)).map((tool) => toolFill(tool, account.countTool(tool.spec))),
    cachedPrefix: await cachedPrefix(parts, place.session, built, plan),
    compacted: built.compacted,
    isSummaryElsewhere,
    settings: settingsInForce(plan),
    problems: built.problems,
  };
}

interface PlaceTool {
  readonly spec: ToolSpec;
  readonly isOffered: boolean;
}

/** The tools of the next call, and behind them those of Galley's own that a setting keeps back. */
async function everyTool(parts: Services, { tools, caller }: FilledPlace): Promise<readonly PlaceTool[]> {
  const offered = new Set(tools.map(({ name }) => name));
  const all = await toolsFor(parts, caller.place, { ownTools: "all" });
  const others = all.tools.filter(({ name }) => groupOf(name) !== undefined && !offered.has(name));
  return [
    ...tools.map((tool) => ({ spec: specOf(tool), isOffered: true })),
    ...others.map((tool) => ({ spec: specOf(tool), isOffered: false })),
  ];
}

function toolFill({ spec: { name }, isOffered }: PlaceTool, tokens: number): ContextFill["tools"][number] {
  return { name, tokens, isOffered, group: groupOf(name) };
}

function groupOf(name: string): OwnGroup | undefined {
  const groups = Object.keys(ownToolGroups) as readonly OwnGroup[];
  return groups.find((group) => (ownToolGroups[group] as readonly string[]).includes(name));
}

async function cachedPrefix(
  parts: Services,
  session: string,
  { messages, recorded }: Pick<BuiltCall, "messages" | "recorded">,
  { model }: TurnSettings,
): Promise<number> {
  const before = await lastBuild(parts, session);
  // Tools stand in front of everything: with others, nothing of what a provider has cached is of use.
  if (!isSameTools(before.tools, toolHashes(recorded.tools))) return 0;
  return tokensOf(messages.slice(0, commonPrefix(before.hashes, recorded.hashes)), model.tokenizer);
}
