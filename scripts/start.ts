// `npm start`: builds Studio where it is not built yet, then runs the daemon; `npm start -- --port 5000` passes flags on.
import { fileURLToPath } from "node:url";
import { main } from "galley/command";
import { buildStudio } from "./build-studio.ts";
import { stopWithNpm } from "./stop-with-npm.ts";

stopWithNpm();
process.chdir(fileURLToPath(new URL("..", import.meta.url)));
await buildStudio(() => process.stderr.write("Building Studio (some seconds, once) …\n"));
process.exitCode = await main(["up", ...process.argv.slice(2)]);
