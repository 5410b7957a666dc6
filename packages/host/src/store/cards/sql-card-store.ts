import { appendToBox } from "./append-to-box.ts";
import { fromCardRows, fromRuns } from "./card-rows.ts";
import type { Box, Card, CardStore, HydratedBox, Profile } from "../ports/card-store.ts";
import { checkIds, isId } from "../database/ids.ts";
import type { Database, Reader } from "../database/database.ts";
import { deleteOf, inOrder, rowsById, rowsOf, runAgain, upsertRow } from "../database/rows.ts";
import type { BoxRow, BoxSegmentRow } from "../database/tables.ts";
import { checkExist, checkPack, writePack } from "./write-pack.ts";

export function sqlCardStore(database: Database): CardStore {
  return {
    async pack(pack) {
      checkPack(pack);
      await database.transaction((tx) => writePack(tx, pack));
    },
    async append(append) {
      const { projectId, boxId, cards = [] } = append;
      checkPack({ projectId, cards, boxes: [] });
      checkIds("box", [boxId]);
      return database.transaction(async (tx) => {
        const row = await appendToBox(tx, append);
        return toBox(row, await segmentsOf(tx, projectId, [boxId]));
      });
    },
    readCards: (projectId, ids) => database.read((reader) => readCards(reader, projectId, ids)),
    readBoxes: (projectId, ids) => database.read((reader) => readBoxes(reader, projectId, ids)),
    openBox: (projectId, id, version) => database.read((reader) => openBox(reader, projectId, id, version)),
    async deleteCards(projectId, ids) {
      if (!isId(projectId)) return 0;
      const { numDeletedRows } = await database.transaction((tx) =>
        deleteOf(tx, "cards", { project_id: projectId })
          .where("card_id", "in", tx.listed(ids.filter(isId)))
          .executeTakeFirst(),
      );
      await database.wipe();
      return Number(numDeletedRows);
    },
    ...profilesOn(database),
  };
}

function profilesOn(
  database: Database,
): Pick<CardStore, "saveProfile" | "deleteProfile" | "findProfile" | "listProfiles"> {
  const profiles = (projectId: string, name?: string): Promise<readonly Profile[]> =>
    database.read(async (reader) => {
      if (!isId(projectId) || (name !== undefined && !isId(name))) return [];
      const values = name === undefined ? [projectId] : [projectId, name];
      return runAgain(reader, `profiles ${values.length}`, values, () =>
        rowsOf(reader, "profiles", { project_id: projectId, name }).select(["name", "box_id as boxId"]).orderBy("name"),
      );
    });
  return {
    async saveProfile(projectId, { name, boxId }) {
      checkIds("project", [projectId]);
      checkIds("profile", [name]);
      await database.transaction(async (tx) => {
        await checkExist(tx, "box", projectId, [boxId]);
        await upsertRow(tx, "profiles", { project_id: projectId, name }, { box_id: boxId });
      });
    },
    async deleteProfile(projectId, name) {
      if (!isId(projectId) || !isId(name)) return false;
      const { numDeletedRows } = await database.transaction((tx) =>
        deleteOf(tx, "profiles", { project_id: projectId, name }).executeTakeFirst(),
      );
      return numDeletedRows > 0n;
    },
    findProfile: async (projectId, name) => (await profiles(projectId, name))[0],
    listProfiles: (projectId) => profiles(projectId),
  };
}

async function readCards(reader: Reader, projectId: string, ids: readonly string[]): Promise<(Card | undefined)[]> {
  const rows = await rowsById(reader, "cards", projectId, ids)
    .select(["card_id", "type", "author_id", "created_at", "text", "body"])
    .execute();
  return inOrder(ids, fromCardRows(rows));
}

async function readBoxes(
  reader: Reader,
  projectId: string,
  ids: readonly string[],
): Promise<readonly (Box | undefined)[]> {
  // Segments first: what is added in between is then left out instead of torn.
  const segments = await segmentsOf(reader, projectId, ids);
  const rows = await rowsById(reader, "boxes", projectId, ids).selectAll().execute();
  const boxes = rows.map((row) => toBox(row, segments)).filter((box) => box.version > 0);
  return inOrder(ids, boxes);
}

async function openBox(
  reader: Reader,
  projectId: string,
  id: string,
  version = Infinity,
): Promise<HydratedBox | undefined> {
  const [box] = await readBoxes(reader, projectId, [id]);
  if (!box || version < 1) return undefined;
  const wanted = version === Infinity ? box : await versionOf(reader, projectId, box, version);
  if (!wanted) return undefined;
  const ids = wanted.items.map((item) => item.cardId);
  return { ...wanted, cards: await readCards(reader, projectId, ids) };
}

async function versionOf(reader: Reader, projectId: string, box: Box, version: number): Promise<Box | undefined> {
  if (version > box.version || !Number.isInteger(version)) return undefined;
  const segments = await segmentsOf(reader, projectId, [box.id]);
  const upTo = segments.filter((segment) => segment.version <= version);
  return { ...box, version, items: fromRuns(upTo.map((segment) => segment.items)) };
}

type Segment = Pick<BoxSegmentRow, "box_id" | "version" | "items">;

function segmentsOf(reader: Reader, projectId: string, ids: readonly string[]): Promise<Segment[]> {
  return rowsById(reader, "box_segments", projectId, ids)
    .select(["box_id", "version", "items"])
    .orderBy("box_id")
    .orderBy("version")
    .execute();
}

function toBox(row: BoxRow, segments: readonly Segment[]): Box {
  const own = segments.filter((segment) => segment.box_id === row.box_id);
  return {
    id: row.box_id,
    version: own.at(-1)?.version ?? 0,
    items: fromRuns(own.map((segment) => segment.items)),
    parents: JSON.parse(row.parents) as string[],
    createdAt: row.created_at,
  };
}
