import { type CompactionEntry, GalleyError, type PinnedItem, type SessionEntry } from "@galley/engine";
import { tokenSources } from "@galley/engine/proof";
import { entrySchemaFor } from "@galley/engine/schemas";
import { parseAs } from "../../api/parse-as.ts";
import { parsePlaceId, sessionIdOf } from "../../api/place-id.ts";
import type { RouteName, RouteReply } from "../../api/index.ts";
import { type SettingInForce, withDefaults } from "../../config/settings-in-force.ts";
import type { BuildItem } from "../../store/ports/build-store.ts";
import { callOf, callsOf } from "../../store/logged-builds.ts";
import { mapInSlices } from "../../limits/in-slices.ts";
import type { SessionRef } from "../../store/ports/session-store.ts";
import type { RouteHandlers } from "../http/bind-routes.ts";
import { costOf, replyOf } from "./call-reply.ts";
import { type FolderContext, done, removed } from "./handler-context.ts";
import { lossHandlers } from "./lost-names.ts";
import { placeOfSession } from "../../turn/places/turn-place.ts";

type SessionRoute = Extract<RouteName, `sessions.${string}`>;
type CallItem = RouteReply<"sessions.get">["calls"][number];

const noTokens = Object.fromEntries(tokenSources.map((source) => [source, 0])) as CallItem["bySource"];

/** What was sent to models, call by call. */
export function sessionHandlers(context: FolderContext): RouteHandlers<SessionRoute> {
  const { galley } = context;
  const { store, project: projectId } = galley;
  const refOf = (id: string): SessionRef => ({ projectId, sessionId: sessionIdOf(parsePlaceId(id)) });
  return {
    ...lossHandlers(context),
    ...windowHandlers(context),
    "sessions.list": async () => ({ sessions: await galley.sessions.list() }),
    "sessions.search": async ({ query: { q, limit } }) => ({
      matches: [...(await galley.sessions.search(q, limit === undefined ? {} : { limit }))],
    }),
    "sessions.get": async ({ params: { id } }) => ({
      id,
      calls: (await callsOf(store, refOf(id))).map(callItem),
      context: await galley.sessions.settings(id),
    }),
    "sessions.settings": ({ params: { id }, body }) => done(galley.sessions.configure(id, body)),
    "sessions.inForce": ({ params: { id }, query }) => galley.settingsFor({ ...placeOfSession(id), ...query }),
    "sessions.delete": ({ params: { id }, query: { confirm } }) => removed(galley.sessions.delete(id, confirm)),
    "sessions.call": async ({ params: { id, n } }) => {
      const build = await callOf(store, refOf(id), n);
      if (!build) {
        throw new GalleyError("NotFound", `The session ${JSON.stringify(id)} has no call ${n}.`, {
          path: "params.n",
          hint: "It may have been removed; /api/sessions/{id} lists those that there are.",
        });
      }
      const { messages, tools, ledger, stats, stablePrefix, recipe, presetId, budget, problems, raw } = build;
      const content = { messages, tools, ledger, stats, stablePrefix, recipe, preset: presetId, budget, problems, raw };
      const set = (build.settings ?? []) as readonly SettingInForce[];
      const outcome = { ...(await replyOf(galley, refOf(id), build)), cost: costOf(galley, build.model, build.usage) };
      return { ...callItem(build), session: id, ...content, ...outcome, settings: [...withDefaults(set)] };
    },
    "sessions.entries": async ({ params: { id } }) => ({ entries: await store.sessions.read(refOf(id)) }),
    "sessions.import": async ({ params: { id }, body }) => {
      const entries = await mapInSlices(body.entries, (value, index): SessionEntry =>
        parseAs(entrySchemaFor(value), value, `body.entries[${index}]`, "SessionInvalid"),
      );
      return galley.sessions.append(id, entries);
    },
  };
}

type WindowRoute = "sessions.recall" | `sessions.${"pins" | "pin" | "unpin" | "compactions" | "undoCompaction"}`;

/** What stays in the window of a place, what left it, and how either is changed. */
function windowHandlers({ galley }: FolderContext): RouteHandlers<WindowRoute> {
  return {
    "sessions.recall": async ({ params: { id }, query }) => {
      const { kind, name } = parsePlaceId(id);
      const { text, found, next } = await galley.recall(kind === "task" ? { task: name } : placeOfSession(id), query);
      return { text, found: [...found], next };
    },
    "sessions.pins": async ({ params: { id } }) => ({
      pins: (await galley.pins(placeOfSession(id)).list()).map(shownPin),
    }),
    "sessions.pin": async ({ params: { id }, body }) => {
      const { id: pinned, entry } = await galley.pins(placeOfSession(id)).pin(body);
      return { id: pinned, isNew: entry !== undefined };
    },
    "sessions.unpin": ({ params: { id, pin } }) => done(galley.pins(placeOfSession(id)).unpin(pin)),
    "sessions.compactions": async ({ params: { id } }) => ({
      compactions: (await galley.compactions(placeOfSession(id)).list()).map(shownCompaction),
    }),
    "sessions.undoCompaction": async ({ params: { id } }) => {
      const { undoes = "" } = await galley.compactions(placeOfSession(id)).undo();
      return { undone: undoes };
    },
  };
}

function shownPin({ entry, ...pin }: PinnedItem): RouteReply<"sessions.pins">["pins"][number] {
  return { ...pin, ...(entry ? { message: entry.message } : {}) };
}

type ShownCompaction = RouteReply<"sessions.compactions">["compactions"][number];

function shownCompaction({ id, ts, summary, summarisedBy, summarised, dropped }: CompactionEntry): ShownCompaction {
  return { id, ts, summary, summarisedBy, summarised, dropped };
}

function callItem(build: BuildItem): CallItem {
  const { n, turn, callOfTurn, at, model, digest, stats, compacted, cachedPrefix, usage } = build;
  const { runId = null, isLogged = false } = build;
  const facts = { n, turn, callOfTurn, at, model, digest, compacted, cachedPrefix, usage, runId, isLogged };
  return {
    ...facts,
    inputTokens: stats.inputTokens,
    messageCount: stats.messageCount,
    dropped: stats.droppedMessagesCount,
    bySource: sourcesOf(build.bySource),
  };
}

/** Every source has its figure; one that this version does not know counts as another. */
function sourcesOf(given: Readonly<Record<string, number>>): CallItem["bySource"] {
  const sources = { ...noTokens };
  for (const [name, tokens] of Object.entries(given)) {
    sources[Object.hasOwn(noTokens, name) ? (name as keyof typeof sources) : "other"] += tokens;
  }
  return sources;
}
