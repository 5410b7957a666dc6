// Opens a store and ends at one step of its migration, as `kill -9` does: at a change of the disk or before a statement.
// GALLEY_CRASH_AT=n node migration-scenario.ts FILE prints how many steps there are.
import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { DatabaseSync, StatementSync } from "node:sqlite";
import { changesMade, countChange } from "../../../testing/crash-at.ts";

const database: { exec: (this: DatabaseSync, sql: string) => void } = DatabaseSync.prototype;
const { exec } = database;
database.exec = function counted(sql) {
  for (const part of sql.split(/;\s*\n/).filter((one) => one.trim() !== "")) {
    countChange();
    exec.call(this, part);
  }
};
const statement = StatementSync.prototype as { run: (this: StatementSync, ...values: unknown[]) => unknown };
const { run } = statement;
statement.run = function counted(...values) {
  const isCopy = this.sourceSQL.startsWith("VACUUM INTO");
  if (isCopy) countChange();
  const result = run.apply(this, values);
  if (isCopy) leaveHalf(String(values[0]));
  return result;
};

/** A process that is killed while SQLite writes the copy leaves a part of it. */
function leaveHalf(file: string): void {
  const whole = readFileSync(file);
  truncateSync(file, Math.floor(whole.length / 2));
  countChange();
  writeFileSync(file, whole);
}

const { sqliteDatabase } = await import("../database/sqlite-database.ts");
const opened = await sqliteDatabase(process.argv[2] ?? "");
await opened.close();
process.stdout.write(String(changesMade()));
