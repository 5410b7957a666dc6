// `npm run test:plugs`: the plugs in real loops of the real frameworks, which are installed in a folder of their own.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installPeers } from "../bench/install.ts";
import { endAs, runProgram } from "../packages/host/bin/run-program.js";

const folder = fileURLToPath(new URL("../plugs/", import.meta.url));
installPeers(folder, "the frameworks that the plugs are for");
const options = { cwd: folder, stdio: "inherit" } as const;
const types = await runProgram("tsc", ["-p", folder], options);
if (types.code !== 0) endAs(types);
else {
  const config = join(folder, "vitest.config.ts");
  endAs(await runProgram("vitest", ["run", "--config", config, ...process.argv.slice(2)], options));
}
