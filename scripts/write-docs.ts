// `npm run docs`: writes the pages of docs/ that are made from the code.
import { writeFileSync } from "node:fs";
import { writtenPages } from "./written-pages.ts";

for (const [name, write] of Object.entries(writtenPages)) {
  writeFileSync(new URL(`../docs/${name}`, import.meta.url), await write());
  console.log(`docs/${name}`);
}
