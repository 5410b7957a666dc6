// `npm test` and `npm run check`: types, lint and format are checked beside the tests, because one of the two often waits.
// What they found is printed after the tests' own report, where it is not overlooked; arguments are Vitest's.
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { endAs, runProgram } from "../packages/host/bin/run-program.js";

const shell = process.platform === "win32";
// The type checker frees memory so often that it takes a fifth of its time; it may use more for these seconds.
const env = { GOGC: "400", ...process.env };
// What nobody uses is looked for in whole runs.
const script = process.argv.includes("--project") ? "static:quick" : "static";
const checks = spawn("npm", ["run", "--silent", script], { stdio: ["ignore", "pipe", "pipe"], shell, env });
const checked = Promise.all([
  text(checks.stdout),
  text(checks.stderr),
  new Promise<number | null>((resolve) => checks.once("exit", resolve)),
]);
const tests = await runProgram("vitest", ["run", ...process.argv.slice(2)], { stdio: "inherit", shell });
if (tests.signal !== null) checks.kill();
const [output, errors, code] = await checked;
process.stdout.write(code === 0 ? "Types, lint and format: nothing found.\n" : `${output}${errors}`);
if (tests.code === 0 && tests.signal === null) process.exitCode = code ?? 1;
else endAs(tests);
