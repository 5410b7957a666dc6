import { type LedgerRow, type ToolSpec, isMessageEntry } from "@galley/engine";
import { type BoundedMap, boundedMap, madeBeside } from "../../limits/bounded-map.ts";
import type { StoredBuild } from "../../store/ports/build-store.ts";
import type { LoopPlace } from "../places/turn-place.ts";
import type { LoopServices } from "../services/services.ts";
import { defaultContextSettings } from "../../config/settings-in-force.ts";
import { isOwnTool, offeredTools } from "../tools/own-tools.ts";
import { hashOf } from "./read-call.ts";

/** What the build before sent: hashes and counts, not messages, of which a window may hold megabytes. */
export interface LastBuild {
  readonly hashes: readonly string[];
  /** The tokens of the first messages, by how many they are. Grows with the build that follows, which takes the place of this one. */
  readonly tokensTo: number[];
  /** With which the tokens were counted. */
  readonly tokenizer: string;
  readonly tools: readonly { readonly name: string; readonly hash: string }[];
  /** Where its context begins. */
  readonly contextStart: string | undefined;
  /** Which of Galley's own tools the settings offered then, as JSON. */
  readonly offered: string;
}

const noBuild: LastBuild = {
  hashes: [],
  tokensTo: [],
  tokenizer: "",
  tools: [],
  contextStart: undefined,
  offered: "",
};

type LastBuildServices = Pick<LoopServices, "store" | "project">;

/** Messages of all sessions together. */
const maxRemembered = 200_000;
const built = madeBeside<BoundedMap<string, LastBuild>>(1);

function lastBuilds({ store }: LastBuildServices): BoundedMap<string, LastBuild> {
  return built(store, "", () => boundedMap(maxRemembered, ({ hashes }) => hashes.length));
}

const keyOf = ({ project }: LastBuildServices, session: string): string => JSON.stringify([project, session]);

/** A build as it follows another: the tokens of its first `known` messages are those of the one before. */
interface NextBuild extends Omit<LastBuild, "tokensTo"> {
  readonly known: number;
  readonly counted: readonly number[];
}

export function rememberBuild(
  parts: LastBuildServices,
  session: string,
  before: LastBuild,
  { known, counted, ...last }: NextBuild,
): void {
  const all = lastBuilds(parts);
  const key = keyOf(parts, session);
  // A call that was recorded in between has taken over the figures; what is lacking is counted again.
  const isNext = known === 0 || all.get(key) === before;
  const tokensTo = known === 0 ? [0] : before.tokensTo;
  if (isNext) {
    tokensTo.length = known + 1;
    for (const tokens of counted) tokensTo.push((tokensTo.at(-1) ?? 0) + tokens);
  }
  all.set(key, isNext ? { ...last, tokensTo } : { ...last, tokensTo: [], tokenizer: "" });
}

/** At once where it is known. */
export function lastBuild(parts: LastBuildServices, sessionId: string): LastBuild | Promise<LastBuild> {
  return lastBuilds(parts).get(keyOf(parts, sessionId)) ?? readLast(parts, sessionId);
}

async function readLast(parts: LastBuildServices, sessionId: string): Promise<LastBuild> {
  const session = { projectId: parts.project, sessionId };
  const [last] = await parts.store.builds.list(session, { last: 1 });
  const stored = last && (await parts.store.builds.read(session, last.n));
  if (!stored) return noBuild;
  const read = asLast(stored);
  lastBuilds(parts).set(keyOf(parts, sessionId), read);
  return read;
}

function asLast({ messages, tools, contextStart, settings = [] }: StoredBuild): LastBuild {
  const set = Object.fromEntries(settings.map(({ key, value }) => [key, value]));
  return {
    ...noBuild,
    hashes: messages.map(hashOf),
    tools: toolHashes(tools),
    contextStart,
    offered: JSON.stringify(offeredTools({ ...defaultContextSettings, ...set })),
  };
}

export function toolHashes(tools: readonly ToolSpec[]): LastBuild["tools"] {
  return tools.map((tool) => ({ name: tool.name, hash: hashOf(tool) }));
}

/** The first message of the context: all calls of one context have it in common. */
export function contextStartOf(place: Pick<LoopPlace, "entries" | "pending">): string | undefined {
  return place.entries().find(isMessageEntry)?.id ?? place.pending()[0]?.id;
}

/**
 * The place with those of Galley's own tools that the context was begun with [T10]: one that comes later, such as handover with
 * the first profile, would cost everything that a provider has cached. A person who offers others by a setting decides again.
 */
export async function withKeptTools<Place extends LoopPlace>(
  parts: LastBuildServices,
  place: Place,
  settings: Parameters<typeof offeredTools>[0],
): Promise<Place> {
  const before = await lastBuild(parts, place.session);
  const isSame = before.contextStart !== undefined && before.contextStart === contextStartOf(place);
  if (!isSame || before.offered !== JSON.stringify(offeredTools(settings))) return place;
  const kept = new Set(before.tools.map(({ name }) => name));
  const tools = place.tools.filter(({ name }) => !isOwnTool(name) || kept.has(name));
  return tools.length === place.tools.length ? place : { ...place, tools };
}

/** The row for tools that somebody changed in the middle of a context, with what was cached and is read again [T10]. */
export async function toolChange(
  parts: LastBuildServices,
  place: Pick<LoopPlace, "session" | "entries" | "pending">,
  tools: readonly ToolSpec[],
  tokensOfFirst: (count: number) => number,
): Promise<readonly LedgerRow[]> {
  const before = await lastBuild(parts, place.session);
  if (before.contextStart === undefined || before.contextStart !== contextStartOf(place)) return [];
  if (isSameTools(before.tools, toolHashes(tools))) return [];
  const tokens = tokensOfFirst(before.hashes.length);
  return [
    { kind: "generated", id: "tools", role: "system", fate: "generated", rule: "tools-changed", tokens, count: 0 },
  ];
}

export function isSameTools(before: LastBuild["tools"], after: LastBuild["tools"]): boolean {
  return before.length === after.length && before.every(({ hash }, index) => hash === after[index]?.hash);
}
