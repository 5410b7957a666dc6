import { GalleyError, type SessionEntry, throwOnErrors } from "@galley/engine";
import { tokenSources } from "@galley/engine/proof";
import { entrySchemaFor, problemsOf } from "@galley/engine/schemas";
import type { RouteName, RouteReply } from "../../api/index.ts";
import type { BuildItem } from "../../store/ports/build-store.ts";
import type { SessionRef } from "../../store/ports/session-store.ts";
import type { RouteHandlers } from "../http/route-handlers.ts";
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
      return {
        ...callItem(build),
        session: id,
        messages,
        tools,
        ledger,
        stats,
        stablePrefix,
        ...(recipe ? { recipe } : {}),
        ...(presetId === undefined ? {} : { preset: presetId }),
        budget,
        problems,
        raw,
      };
    },
    "sessions.entries": async ({ params: { id } }) => ({ entries: await store.sessions.read(refOf(id)) }),
    "sessions.import": async ({ params: { id }, body }) => {
      const entries = body.entries.map(readEntry);
      const { added, tail } = await store.sessions.append(refOf(id), entries);
      return { added: added.length, tail };
    },
  };
}

function readEntry(value: unknown, index: number): SessionEntry {
  const { success, data, error } = entrySchemaFor(value).safeParse(value);
  if (success) return data;
  const problems = problemsOf(error.issues, "SessionInvalid", `body.entries[${index}]`);
  throwOnErrors(problems.map((problem) => ({ ...problem, severity: "error" as const })));
  throw new GalleyError("SessionInvalid", "This is no entry of a session.", { path: `body.entries[${index}]` });
}

function callItem(build: BuildItem): CallItem {
  const { n, at, model, digest, stats, compacted, cachedPrefix, usage, runId } = build;
  return {
    n,
    at,
    model,
    digest,
    inputTokens: stats.inputTokens,
    messageCount: stats.messageCount,
    dropped: stats.droppedMessagesCount,
    bySource: sourcesOf(build.bySource),
    compacted,
    cachedPrefix,
    usage,
    runId: runId ?? null,
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
