import { randomUUID } from "node:crypto";
import type { ModelMessage } from "@galley/engine";
import { redactMessage } from "@galley/engine/messages";
import type { Transaction } from "../database/database.ts";
import { deleteOf, rowsOf, updateRow } from "../database/rows.ts";
import { type BuildPlace, holdBuilds } from "./build-place.ts";
import { changeOwnItems } from "./own-items.ts";
import { itemsOfHashes } from "./read-builds.ts";

/** Deletes what a session has, and the bodies that only it has used. Gives the number of builds. */
export async function purgeSession(tx: Transaction, place: BuildPlace): Promise<number> {
  await holdBuilds(tx, place);
  const used = await rowsOf(tx, "build_items", place).select("hash").where("hash", "is not", null).execute();
  const builds = await deleteOwn(tx, place, "builds");
  for (const table of ["build_items", "build_requests", "build_sessions"] as const) await deleteOwn(tx, place, table);
  await dropUnused(
    tx,
    place.project_id,
    used.flatMap(({ hash }) => hash ?? []),
  );
  return builds;
}

/** Removes messages from all builds of a session; what stands in their place says so. Gives how many they were. */
export async function purgeMessages(tx: Transaction, place: BuildPlace, hashes: readonly string[]): Promise<number> {
  await holdBuilds(tx, place);
  const rows = await itemsOfHashes(tx, place, hashes);
  // Tools stay: they are not what a person or a model said.
  const found = rows.flatMap(({ number, hash, own, shared }) => {
    const body = own ?? shared;
    if (body === null || hash === null) return [];
    const message = JSON.parse(body) as Partial<ModelMessage>;
    return isMessage(message) ? [{ number, hash, shell: JSON.stringify(shellOf(message)) }] : [];
  });
  const removed = new Set(hashes);
  const inBuilds = await changeOwnItems(tx, place, ([number, hash, content]) =>
    hash !== null && removed.has(hash) ? [number, null, shellOf(content as ModelMessage)] : undefined,
  );
  if (found.length + inBuilds === 0) return 0;
  for (const { number, shell } of found) {
    await updateRow(tx, "build_items", { ...place, number }, { hash: null, body: null, shell });
  }
  await deleteOwn(tx, place, "build_requests");
  // A process that remembers the last build remembers numbers of what is gone.
  await updateRow(tx, "build_sessions", place, { mark: randomUUID() });
  await dropUnused(
    tx,
    place.project_id,
    found.map(({ hash }) => hash),
  );
  return found.length + inBuilds;
}

function isMessage(content: Partial<ModelMessage>): content is ModelMessage {
  return content.role !== undefined;
}

function shellOf(message: ModelMessage): ModelMessage {
  const shell = redactMessage(message);
  if (shell) return shell;
  return { role: message.role === "tool" ? "user" : message.role, content: "[redacted]" };
}

async function deleteOwn(
  tx: Transaction,
  place: BuildPlace,
  table: "builds" | "build_items" | "build_requests" | "build_sessions",
): Promise<number> {
  const { numDeletedRows } = await deleteOf(tx, table, place).executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** Removes those bodies that no session uses any more. */
async function dropUnused(tx: Transaction, projectId: string, hashes: readonly string[]): Promise<void> {
  // First in a statement of its own: it waits for a transaction that is about to use one of them, so that the next sees the use.
  await tx.query
    .updateTable("build_bodies")
    .set((row) => ({ hash: row.ref("hash") }))
    .where("project_id", "=", projectId)
    .where("hash", "in", tx.listed(hashes))
    .execute();
  await deleteOf(tx, "build_bodies", { project_id: projectId })
    .where("hash", "in", tx.listed(hashes))
    .where((row) =>
      row.not(
        row.exists(
          row
            .selectFrom("build_items as item")
            .select("item.number")
            .where("item.project_id", "=", projectId)
            .where("item.body", "is", null)
            .whereRef("item.hash", "=", "build_bodies.hash"),
        ),
      ),
    )
    .execute();
}
