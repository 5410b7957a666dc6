import { promisify } from "node:util";
import { deflate } from "node:zlib";
import { GalleyError } from "@galley/engine";
import type { BuildStore, BuildUsage } from "../ports/build-store.ts";
import { checkIds, checkSessionId, encodeSessionId, isId } from "../database/ids.ts";
import type { Database, Transaction } from "../database/database.ts";
import { purgeMessages, purgeSession } from "./purge-builds.ts";
import { updateRow, upsertRow } from "../database/rows.ts";
import { type BuildPlace, listBuilds, listSessions, readBuild, sessionKey } from "./read-builds.ts";
import { type LastBuild, headOf, keptRequests, prepareBuild, recordBuild } from "./record-build.ts";
import type { SessionRef } from "../ports/session-store.ts";

const deflated = promisify(deflate);

/** Builds in a database. */
export function sqlBuildStore(database: Database): BuildStore {
  const memory = lastBuilds();
  return {
    async record(session, build) {
      const place = placeOf(session);
      checkIds("build", [build.key]);
      const name = JSON.stringify([place.projectId, place.session]);
      const prepared = prepareBuild(build);
      const remembered = memory.get(name);
      const { n, last } = await database.transaction((tx) => recordBuild(tx, place, prepared, remembered));
      if (last) memory.set(name, last());
      return n;
    },
    async noteSent(session, n, raw) {
      const place = placeOf(session);
      const packed = (await deflated(raw)).toString("base64");
      await database.transaction((tx) => writeRequest(tx, place, n, packed));
    },
    async noteUsage(session, n, usage) {
      const place = placeOf(session);
      await database.transaction((tx) => writeUsage(tx, place, n, usage));
    },
    list: (session, window = {}) => database.read((reader) => listBuilds(reader, lookedFor(session), window)),
    read: (session, n) => database.read((reader) => readBuild(reader, lookedFor(session), n)),
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

function placeOf(session: SessionRef): BuildPlace {
  checkIds("project", [session.projectId]);
  checkSessionId(session.sessionId);
  return lookedFor(session);
}

/** Where nothing can be is looked for under an id that nothing has. */
function lookedFor({ projectId, sessionId }: SessionRef): BuildPlace {
  return { projectId: isId(projectId) ? projectId : "", session: encodeSessionId(sessionId) };
}

async function writeRequest(tx: Transaction, place: BuildPlace, n: number, raw: string): Promise<void> {
  await tx.hold(`builds:${place.projectId}:${place.session}`);
  const builds = (await headOf(tx, place))?.builds ?? 0;
  if (n < 1 || n > builds) throw noBuild(place, n);
  if (n <= builds - keptRequests) return;
  await upsertRow(tx, "build_requests", { ...sessionKey(place), n }, { raw });
}

async function writeUsage(tx: Transaction, place: BuildPlace, n: number, usage: BuildUsage): Promise<void> {
  const noted = await updateRow(tx, "builds", { ...sessionKey(place), n }, { usage: JSON.stringify(usage) });
  if (!noted) throw noBuild(place, n);
}

function noBuild({ session }: BuildPlace, n: number): GalleyError {
  return new GalleyError("NotFound", `The session ${JSON.stringify(session)} has no build ${n}.`);
}

/** How many items and rows are remembered over all sessions: a few dozen megabytes. */
const rememberedItems = 200_000;

/** The last builds of the sessions that were recorded latest, so that a build costs as much as what is new in it. */
function lastBuilds() {
  const builds = new Map<string, { readonly build: LastBuild; readonly size: number }>();
  let total = 0;
  const forget = (name: string): void => {
    total -= builds.get(name)?.size ?? 0;
    builds.delete(name);
  };
  return {
    get: (name: string) => builds.get(name)?.build,
    set(name: string, build: LastBuild): void {
      forget(name);
      const size = build.numberOf.size + build.rows.length;
      builds.set(name, { build, size });
      total += size;
      for (const oldest of builds.keys()) {
        if (total <= rememberedItems) break;
        forget(oldest);
      }
    },
  };
}
