import { promisify } from "node:util";
import { deflate } from "node:zlib";
import { GalleyError } from "@galley/engine";
import type { BuildStore, BuildUsage, NewBuild } from "../ports/build-store.ts";
import { boundedMap } from "../../limits/bounded-map.ts";
import { checkIds, checkSessionId, encodeSessionId, searchedId } from "../database/ids.ts";
import type { Transaction } from "../database/database.ts";
import type { LateDatabase, LateOptions } from "../database/late-writes.ts";
import { purgeMessages, purgeSession } from "./purge-builds.ts";
import { deleteOf, updateRow, upsertRow } from "../database/rows.ts";
import { type BuildPlace, holdBuilds } from "./build-place.ts";
import { findTurn, listBuilds, listSessions, readBuild } from "./read-builds.ts";
import { type LastBuild, headOf, prepareBuild, recordBuild } from "./record-build.ts";
import type { SessionRef } from "../ports/session-store.ts";

const deflated = promisify(deflate);

export function sqlBuildStore(database: LateDatabase): BuildStore {
  // The last builds of the sessions that were recorded latest, so that a build costs as much as what is new in it.
  const memory = boundedMap<string, LastBuild>(rememberedItems, ({ numberOf, rows }) => numberOf.size + rows.length);
  const note = (place: BuildPlace, work: (tx: Transaction) => Promise<void>, options?: LateOptions): Promise<void> =>
    database.write(aboutNotes(place), work, { ...options, canBeMadeAgain: true });
  /** Requests that are being compressed: a reader waits for them as for what is to be written. */
  const packing = new Set<Promise<unknown>>();
  const noted = async (place: BuildPlace): Promise<void> => {
    while (packing.size > 0) await Promise.allSettled(packing);
    await database.settled(aboutNotes(place));
  };
  return {
    async record(session, build) {
      const place = placeOf(session);
      checkIds("build", [build.key, build.turnId]);
      checkTurnId(build);
      const name = JSON.stringify([place.project_id, place.session_id]);
      const remembered = memory.get(name);
      const prepared = prepareBuild(build, remembered);
      // Tried again, it may be there: a commit can go through although the connection broke in it.
      const isNewTurn = onceOnly(build.isNewTurn ?? false);
      const write = (tx: Transaction) => recordBuild(tx, place, prepared, { remembered, isNewTurn: isNewTurn() });
      // Replay makes it again, from the log that it was made of [P2a].
      const { numbers, last } = await database.transaction(write, { canBeMadeAgain: true });
      if (last) memory.set(name, last());
      return numbers;
    },
    async noteSent(session, n, raw, options) {
      const place = placeOf(session);
      const deflating = deflated(raw);
      packing.add(deflating);
      const write = async (packed: string): Promise<void> => {
        const writing = note(place, (tx) => writeRequest(tx, place, n, packed), { patience: callPatience, ...options });
        // Not before it waits to be written, or a reader could slip in between.
        packing.delete(deflating);
        await writing;
      };
      // A reader waits for whatever is in there, so that one which fails must not stay.
      await deflating.then((bytes) => write(bytes.toString("base64"))).finally(() => packing.delete(deflating));
    },
    async noteUsage(session, n, usage, options) {
      const place = placeOf(session);
      await note(place, (tx) => writeUsage(tx, place, n, usage), options);
    },
    async list(session, window = {}) {
      const place = lookedFor(session);
      await noted(place);
      return database.read((reader) => listBuilds(reader, place, window));
    },
    async read(session, n) {
      const place = lookedFor(session);
      await noted(place);
      return database.read((reader) => readBuild(reader, place, n));
    },
    findTurn: (projectId, turnId) => database.read((reader) => findTurn(reader, projectId, turnId)),
    sessions: (projectId) => database.read((reader) => listSessions(reader, projectId)),
    async purge(session, what) {
      const place = lookedFor(session);
      const count = await database.transaction((tx) =>
        what === "everything" ? purgeSession(tx, place) : purgeMessages(tx, place, what),
      );
      await database.wipe();
      return count;
    },
  };
}

/** Gives a truth to the first who asks. */
function onceOnly(isTrue: boolean): () => boolean {
  let isLeft = isTrue;
  return () => {
    const answer = isLeft;
    isLeft = false;
    return answer;
  };
}

function aboutNotes({ project_id, session_id }: BuildPlace): string {
  return `builds ${project_id} ${session_id}`;
}

function placeOf(session: SessionRef): BuildPlace {
  checkIds("project", [session.projectId]);
  checkSessionId(session.sessionId);
  return lookedFor(session);
}

function checkTurnId({ key, turnId }: NewBuild): void {
  if (key === turnId || key.startsWith(`${turnId}/`)) return;
  throw new GalleyError("InvalidId", `The key ${JSON.stringify(key)} does not begin with its turn's id and "/".`, {
    path: "key",
  });
}

/** Where nothing can be is looked for under an id that nothing has. */
function lookedFor({ projectId, sessionId }: SessionRef): BuildPlace {
  return { project_id: searchedId(projectId), session_id: encodeSessionId(sessionId) };
}

/** In ms: the write that follows the call of a model takes its request along. */
const callPatience = 10_000;

/** How many of a session's latest builds keep their requests. */
const keptRequests = 20;

async function writeRequest(tx: Transaction, place: BuildPlace, n: number, raw: string): Promise<void> {
  await holdBuilds(tx, place);
  const builds = (await headOf(tx, place))?.builds ?? 0;
  if (n < 1 || n > builds) throw noBuild(place, n);
  if (n <= builds - keptRequests) return;
  await upsertRow(tx, "build_requests", { ...place, n }, { raw });
  await deleteOf(tx, "build_requests", place)
    .where("n", "<=", builds - keptRequests)
    .execute();
}

async function writeUsage(tx: Transaction, place: BuildPlace, n: number, usage: BuildUsage): Promise<void> {
  const noted = await updateRow(tx, "builds", { ...place, n }, { usage: JSON.stringify(usage) }, ["n"]);
  if (!noted) throw noBuild(place, n);
}

function noBuild({ session_id: session }: BuildPlace, n: number): GalleyError {
  return new GalleyError("NotFound", `The session ${JSON.stringify(session)} has no build ${n}.`);
}

/** How many items and rows are remembered over all sessions: a few dozen megabytes. */
const rememberedItems = 200_000;
