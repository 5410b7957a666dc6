// `npm start`: composes the bundled example, shows where each message comes from, and what to try next.
import { fileURLToPath } from "node:url";
import { main } from "galley";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const example = ["--preset", "examples/recipes.json", "--session", "examples/session.jsonl"];

console.log("Galley: what the model would read for examples/recipes.json, and why.\n");
process.exitCode = await main(["explain", ...example, "--model", "claude-sonnet-4-5"]);

console.log(`
Try next:

  another model, another recipe
    npx galley explain ${example.join(" ")} --model gpt-5
  a window that is too small: what goes, and why
    npx galley explain ${example.join(" ")} --model gpt-5 --budget 150
  a preset as one list
    npx galley explain --preset examples/simple.json --input "Hello"
  a session that outgrows its window
    npx node examples/session.ts
  everything else
    npx galley --help`);
