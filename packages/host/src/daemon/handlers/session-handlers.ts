import { GalleyError, type SessionEntry } from "@galley/engine";
import { tokenSources } from "@galley/engine/proof";
import { entrySchemaFor } from "@galley/engine/schemas";
import type { RouteName, RouteReply } from "../../api/index.ts";
import type { BuildItem } from "../../store/ports/build-store.ts";
import { mapInSlices } from "../../limits/in-slices.ts";
import type { SessionRef } from "../../store/ports/session-store.ts";
import type { RouteHandlers } from "../http/bind-routes.ts";
import { parseAs } from "../http/read-arguments.ts";
import type { HandlerContext } from "./handler-context.ts";

type SessionRoute = Extract<RouteName, `sessions.${string}`>;
type CallItem = RouteReply<"sessions.get">["calls"][number];

const noTokens = Object.fromEntries(tokenSources.map((source) => [source, 0])) as CallItem["bySource"];

/** What was sent to models, call by call. */
export function sessionHandlers({ galley }: HandlerContext): RouteHandlers<SessionRoute> {
  const { store, project: projectId } = galley;
  const refOf = (sessionId: string): SessionRef => ({ projectId, sessionId });
  return {
    "sessions.list": async () => ({ sessions: await store.builds.sessions(projectId) }),
    "sessions.get": async ({ params: { id } }) => ({ id, calls: (await store.builds.list(refOf(id))).map(callItem) }),
    "sessions.call": async ({ params: { id, n } }) => {
      const build = await store.builds.read(refOf(id), n);
      if (!build) {
        throw new GalleyError("NotFound", `The session ${JSON.stringify(id)} has no call ${n}.`, {
          path: "params.n",
          hint: "It may have been removed; /api/sessions/{id} lists those that there are.",
        });
      }
      const { messages, tools, ledger, stats, stablePrefix, recipe, presetId, budget, problems, raw } = build;
      const content = { messages, tools, ledger, stats, stablePrefix, recipe, preset: presetId, budget, problems, raw };
      return { ...callItem(build), session: id, ...content };
    },
    "sessions.entries": async ({ params: { id } }) => ({ entries: await store.sessions.read(refOf(id)) }),
    "sessions.import": async ({ params: { id }, body }) => {
      const entries = await mapInSlices(body.entries, (value, index): SessionEntry =>
        parseAs(entrySchemaFor(value), value, `body.entries[${index}]`, "SessionInvalid"),
      );
      const { added, tail } = await store.sessions.append(refOf(id), entries);
      return { added: added.length, tail };
    },
  };
}

function callItem(build: BuildItem): CallItem {
  const { n, at, model, digest, stats, compacted, cachedPrefix, usage, runId = null } = build;
  const facts = { n, at, model, digest, compacted, cachedPrefix, usage, runId };
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
