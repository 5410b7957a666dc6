import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

/** How often `work` opens files and folders, or with other names asks about them. */
export async function countFileCalls(
  work: () => unknown,
  names: readonly ("openSync" | "lstatSync" | "statSync" | "readdirSync")[] = ["openSync"],
): Promise<number> {
  const originals = names.map((name) => fs[name]);
  let calls = 0;
  const counting = fs as unknown as Record<string, (...args: unknown[]) => unknown>;
  for (const [index, name] of names.entries()) {
    counting[name] = (...args) => {
      calls += 1;
      return (originals[index] as (...given: unknown[]) => unknown)(...args);
    };
  }
  syncBuiltinESMExports();
  try {
    await work();
  } finally {
    for (const [index, name] of names.entries()) counting[name] = originals[index] as (...args: unknown[]) => unknown;
    syncBuiltinESMExports();
  }
  return calls;
}
