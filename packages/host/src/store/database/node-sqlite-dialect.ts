import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { SqliteAdapter, SqliteDialect } from "kysely";

/** How many prepared statements a connection keeps. The store has fewer shapes of query than this. */
const keptStatements = 200;

/** Lets kysely work on one connection of `node:sqlite`. Transactions are not its affair: `writerQueue` makes them. */
export function nodeSqliteDialect(db: DatabaseSync): SqliteDialect {
  const prepareOnce = statements(db);
  const prepare = (text: string) => {
    const statement = prepareOnce(text);
    return {
      reader: statement.columns().length > 0,
      all: (values: readonly unknown[]) => statement.all(...(values as SQLInputValue[])),
      run: (values: readonly unknown[]) => statement.run(...(values as SQLInputValue[])),
      iterate: (values: readonly unknown[]) => statement.iterate(...(values as SQLInputValue[])),
    };
  };
  return new OpenDialect({ database: { prepare, close: () => db.close() } });
}

class OpenDialect extends SqliteDialect {
  override createAdapter(): SqliteAdapter {
    return new OpenAdapter();
  }
}

/** Each query runs at once and to its end: nobody has to wait for the connection. */
class OpenAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

/** Gives the statement of a text, which is prepared once. */
export function statements(db: DatabaseSync): (sql: string) => StatementSync {
  const prepared = new Map<string, StatementSync>();
  return (sql) => {
    const known = prepared.get(sql);
    if (known) return known;
    if (prepared.size >= keptStatements) prepared.clear();
    const statement = db.prepare(sql);
    prepared.set(sql, statement);
    return statement;
  };
}
