// Prints how many ms one library, named on the command line, takes from its import to its first count.
import { tokenLibraries } from "./token-libraries.ts";

const start = performance.now();
const name = process.argv[2] ?? "";
const loadOwn = async (): Promise<(text: string) => number> => {
  const { loadTokenizer } = await import("@galley/engine/tokens");
  const tokenizer = await loadTokenizer("o200k_base");
  return (text) => tokenizer.count(text);
};
const count = await (tokenLibraries[name] ?? loadOwn)();
count("The first words of a text.");
process.stdout.write(String(performance.now() - start));
