// `npm run docs`: writes the pages of docs/ that are made from the code.
import { writeFileSync } from "node:fs";
import { writtenPages } from "./written-pages.ts";

for (const [name, text] of Object.entries(writtenPages())) {
  writeFileSync(new URL(`../docs/${name}`, import.meta.url), text);
  console.log(`docs/${name}`);
}
