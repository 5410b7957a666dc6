import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { sourceKey } from "./bundle.ts";
import { madeOnce } from "./tool-cache.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const tsc = join(root, "node_modules/typescript/bin/tsc");

/**
 * The types of the packages as they are published, in the folders `engine` and `host`, made once for each state of the
 * sources. Types are not checked here: lint does that.
 */
export async function declarations(): Promise<string> {
  return madeOnce("types", sourceKey(), async (draft) => {
    await emit("engine", draft, {});
    // What was compiled of the engine, or its sources would be compiled into this package too.
    const engine = join(draft, "engine");
    await emit("host", draft, {
      "@galley/engine": [join(engine, "index.d.ts")],
      "@galley/engine/*": [join(engine, "*.d.ts")],
    });
  });
}

async function emit(name: "engine" | "host", draft: string, paths: Readonly<Record<string, string[]>>): Promise<void> {
  const config = join(draft, `${name}.json`);
  mkdirSync(draft, { recursive: true });
  const compilerOptions = { outDir: join(draft, name), noCheck: true, paths };
  const text = { extends: join(root, "packages", name, "tsconfig.build.json"), compilerOptions };
  writeFileSync(config, JSON.stringify(text));
  try {
    await promisify(execFile)(process.execPath, [tsc, "-p", config], { cwd: root });
  } catch (error) {
    throw new Error(`tsc -p ${config} failed:\n${(error as { stdout?: string }).stdout}`, { cause: error });
  }
}
