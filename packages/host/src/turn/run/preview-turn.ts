import type {
  BuildStats,
  ContextConfig,
  ModelMessage,
  Problem,
  SessionEntry,
  ToolSpec,
  UserMessage,
} from "@galley/engine";
import { type TokenSource, tokensBySource } from "@galley/engine/proof";
import { type SettingInForce, settingsInForce } from "../../config/settings-in-force.ts";
import { specOf } from "../../tools/tool-specs.ts";
import { type BuiltCall, type CallInput, buildCall, canRecall, callInput } from "../call/build-call.ts";
import { accountOf, tokensOf } from "../call/account-of.ts";
import { isSameTools, lastBuild, toolHashes } from "../call/last-build.ts";
import { commonPrefix } from "../../limits/common-prefix.ts";
import { plainCompactor } from "../call/resolve-compactor.ts";
import { describedModel } from "../call/resolve-model.ts";
import { type TurnSettings, budgetOf, modelIdOf } from "../call/resolve-settings.ts";
import { type LoopPlace, placeOf } from "../places/turn-place.ts";
import type { Services } from "../services/services.ts";
import type { TurnRequest } from "../services/turn-types.ts";
import { type OwnGroup, ownToolGroups } from "../tools/own-tool-names.ts";
import { toolsFor } from "../tools/tools-for.ts";
import { prepareTurn } from "./prepare-turn.ts";
import { userMessage } from "./run-request.ts";

/** A turn that is only looked at; what the user will say may be left open. */
export type PreviewRequest = Omit<TurnRequest, "input"> & Partial<Pick<TurnRequest, "input">>;

/** What the next call of a place would be made of, by the account of the call itself [T14]. */
export interface TurnPreview {
  readonly session: string;
  readonly model: string;
  /** Of the library, where it is from there. */
  readonly presetId?: string;
  /** Names the tokenizer with its calibration. */
  readonly tokenizer: string;
  /** The most that may be sent, and what else limits it. */
  readonly config: ContextConfig;
  /** The model's window, what of it is kept for the reply, and whether both are only a guess because the model is unknown. */
  readonly room: { readonly window: number; readonly reserve: number; readonly isGuess: boolean };
  readonly entries: readonly SessionEntry[];
  /** What would be added to the entries: what was given as input. */
  readonly pending: readonly ModelMessage[];
  readonly tools: readonly ToolSpec[];
  /** What else the engine is given. */
  readonly input: CallInput;
  readonly settings: readonly SettingInForce[];
  readonly problems: readonly Problem[];
  /** What the model would read. */
  readonly build: () => Promise<BuiltCall>;
  /** How full its window would be, and of what. Asks no model. */
  readonly fill: () => Promise<ContextFill>;
}

/** What the next call of a place would read, as data: for a command and for programs elsewhere. */
export async function lookAt(
  { preview }: { preview: (request: PreviewRequest) => Promise<TurnPreview> },
  request: PreviewRequest,
) {
  const { session, model, presetId, room, settings, build } = await preview(request);
  const { recorded: _, ...built } = await build();
  return { session, model, ...(presetId !== undefined && { preset: presetId }), room, settings, ...built };
}

/** Stands for what is not said yet; it is not part of the preview. */
const nothingSaid: UserMessage = { role: "user", content: "…" };

/** Looks at the next call of a place. Keeps nothing, and calls no model but one that writes summaries, for `build`. */
export async function previewTurn(parts: Services, request: PreviewRequest): Promise<TurnPreview> {
  const name = placeOf(request);
  const model = await describedModel(parts, await modelIdOf(parts, name, request.model));
  const input = request.input === undefined ? nothingSaid : parts.redactor.redact(userMessage(request.input));
  const asked = { runId: "preview", input, inputTs: parts.now(), tools: request.tools };
  const { plan, place, problems } = await prepareTurn(parts, name, model, request, asked);
  const looked = request.input === undefined ? { ...place, pending: () => [] } : place;
  const { reserveOutputTokens: reserve = 0, maxInputTokens, ...config } = plan.config;
  return {
    session: place.session,
    model: model.id,
    presetId: plan.presetId,
    tokenizer: model.tokenizer.id,
    config: {
      ...config,
      maxInputTokens: maxInputTokens - reserve,
      ...(canRecall(place.tools) ? { recall: true } : {}),
    },
    room: { window: model.info.window, reserve, isGuess: !model.info.isKnown },
    entries: place.entries(),
    pending: looked.pending(),
    tools: place.tools.map(specOf),
    input: callInput(place, plan),
    settings: settingsInForce(plan),
    problems,
    build: () => buildCall(parts, looked, plan, { problems }),
    fill: () => contextFill(parts, looked, plan, problems),
  };
}

/** How full the window of the next call of a place would be, and of what. */
interface ContextFill {
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
async function contextFill(
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
