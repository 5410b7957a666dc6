// Galley on PostgreSQL: sessions, delegated work and records of builds are in the database; chats stay in the data folder.
// GALLEY_POSTGRES names the database: postgres://user:password@host:5432/name
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openGalley } from "galley";

const { GALLEY_POSTGRES: postgres } = process.env;
if (postgres === undefined) {
  process.stderr.write("Set GALLEY_POSTGRES to the URL of a PostgreSQL database that may be written to.\n");
  process.exit(2);
}

const data = mkdtempSync(join(tmpdir(), "galley-example-"));
const session = `example-${Date.now()}`;

// Twice, as two processes would: what the first has kept, the second reads.
for (const input of ["My name is Mira.", "What is my name?"]) {
  const galley = await openGalley({ data, postgres, config: false });
  const { text } = await galley.run({ session, model: "demo", input }).result;
  process.stdout.write(`${input} → ${text}\n`);
  const kept = await galley.store.sessions.read({ projectId: galley.project, sessionId: session });
  process.stdout.write(`${kept.filter(({ type }) => type === "message").length} messages are in PostgreSQL\n`);
  await galley.close();
}
rmSync(data, { recursive: true });
