import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { vocabularies, vocabularyFile, vocabularyModule } from "./vocabularies.ts";

test("[J4] the engine's vocabularies are those of the package that they were written from, with the notice", async () => {
  for (const [name, entries] of Object.entries(await vocabularies())) {
    const text = readFileSync(vocabularyFile(name), "utf8");
    expect(text === vocabularyModule(entries), `${name} is stale: npm run vocabularies`).toBe(true);
    expect(text).toContain("Copyright (c) 2022 OpenAI");
  }
});
