// `npm run vocabularies`: writes the engine's vocabularies from the package that has them.
import { writeFileSync } from "node:fs";
import { vocabularies, vocabularyFile, vocabularyModule } from "./vocabularies.ts";

for (const [name, entries] of Object.entries(await vocabularies()))
  writeFileSync(vocabularyFile(name), vocabularyModule(entries));
