// A process of its own for the tests of open-sqlite: opens the file, adds `count` numbers in `count` transactions.
import { immediate, openSqlite } from "../../disk/open-sqlite.ts";

const [file = "", count = "0"] = process.argv.slice(2);
const db = openSqlite(file);
immediate(db, () => db.exec("CREATE TABLE IF NOT EXISTS tally (total INTEGER NOT NULL)"));
for (let done = 0; done < Number(count); done += 1) {
  immediate(db, () => {
    // Read, then write: without the lock from the beginning two processes would read the same total.
    const total = Number(db.prepare("SELECT max(total) AS total FROM tally").get()?.["total"] ?? 0);
    db.prepare("INSERT INTO tally VALUES (?)").run(total + 1);
  });
}
db.close();
