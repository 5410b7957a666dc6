import { appendToBox } from "./append-to-box.ts";
import { fromRuns } from "./box-items.ts";
import { cardsById } from "./card-rows.ts";
import type { Box, Card, CardStore, HydratedBox, Profile } from "../ports/card-store.ts";
import { checkIds, isId } from "../database/check-ids.ts";
import type { Database, Reader } from "../database/database.ts";
import { deleteOf, rowsOf } from "../database/rows.ts";
import type { BoxRow, BoxSegmentRow } from "../database/tables.ts";
import { checkBoxes, checkPack, writePack } from "./write-pack.ts";

/** Cards and boxes in a database. */
export function sqlCardStore(database: Database): CardStore {
  return {
    async pack(pack) {
      checkPack(pack);
      await database.transaction((tx) => writePack(tx, pack));
    },
    async append({ projectId, boxId, cards = [], items, expectedVersion }) {
      checkPack({ projectId, cards, boxes: [] });
      checkIds("box", [boxId]);
      return database.transaction(async (tx) => {
        const row = await appendToBox(tx, { projectId, boxId, cards, items, expectedVersion });
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

function profilesOn(database: Database): Pick<CardStore, "saveProfile" | "findProfile" | "listProfiles"> {
  const profiles = (projectId: string, name?: string): Promise<readonly Profile[]> =>
    database.read(async (reader) => {
      if (!isId(projectId) || (name !== undefined && !isId(name))) return [];
      const found = rowsOf(reader, "profiles", { project_id: projectId, name });
      return found.select(["name", "box_id as boxId"]).orderBy("name").execute();
    });
  return {
    async saveProfile(projectId, { name, boxId }) {
      checkIds("project", [projectId]);
      checkIds("profile", [name]);
      await database.transaction(async (tx) => {
        await checkBoxes(tx, projectId, [boxId]);
        await tx.query
          .insertInto("profiles")
          .values({ project_id: projectId, name, box_id: boxId })
          .onConflict((conflict) => conflict.columns(["project_id", "name"]).doUpdateSet({ box_id: boxId }))
          .execute();
      });
    },
    findProfile: async (projectId, name) => (await profiles(projectId, name))[0],
    listProfiles: (projectId) => profiles(projectId),
  };
}

async function readCards(reader: Reader, projectId: string, ids: readonly string[]): Promise<(Card | undefined)[]> {
  const known = isId(projectId) ? ids.filter(isId) : [];
  if (known.length === 0) return ids.map(() => undefined);
  const rows = await rowsOf(reader, "cards", { project_id: projectId })
    .select(["card_id", "type", "author_id", "created_at", "text", "body"])
    .where("card_id", "in", reader.listed(known))
    .execute();
  const byId = cardsById(rows);
  return ids.map((id) => byId.get(id));
}

async function readBoxes(
  reader: Reader,
  projectId: string,
  ids: readonly string[],
): Promise<readonly (Box | undefined)[]> {
  const known = isId(projectId) ? [...new Set(ids.filter(isId))] : [];
  if (known.length === 0) return ids.map(() => undefined);
  // Segments first: what is added in between is then left out instead of torn.
  const segments = await segmentsOf(reader, projectId, known);
  const rows = await rowsOf(reader, "boxes", { project_id: projectId })
    .selectAll()
    .where("box_id", "in", reader.listed(known))
    .execute();
  const boxes = rows.map((row) => toBox(row, segments)).filter((box) => box.version > 0);
  const byId = new Map(boxes.map((box) => [box.id, box]));
  return ids.map((id) => byId.get(id));
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
  const cards = await readCards(
    reader,
    projectId,
    wanted.items.map((item) => item.cardId),
  );
  return { ...wanted, cards };
}

async function versionOf(reader: Reader, projectId: string, box: Box, version: number): Promise<Box | undefined> {
  if (version > box.version || !Number.isInteger(version)) return undefined;
  const segments = await segmentsOf(reader, projectId, [box.id]);
  const upTo = segments.filter((segment) => segment.version <= version);
  return { ...box, version, items: fromRuns(upTo.map((segment) => segment.items)) };
}

type Segment = Pick<BoxSegmentRow, "box_id" | "version" | "items">;

function segmentsOf(reader: Reader, projectId: string, ids: readonly string[]): Promise<Segment[]> {
  return rowsOf(reader, "box_segments", { project_id: projectId })
    .select(["box_id", "version", "items"])
    .where("box_id", "in", reader.listed(ids))
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
