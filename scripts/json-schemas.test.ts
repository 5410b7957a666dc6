import { readFileSync, readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { jsonSchemas } from "./json-schemas.ts";

const folder = new URL("../packages/engine/schemas/", import.meta.url);

test("[C1] the committed JSON Schemas are those that the engine checks with", () => {
  const schemas = jsonSchemas();
  expect(readdirSync(folder).sort()).toEqual(Object.keys(schemas).sort());
  for (const [name, text] of Object.entries(schemas)) {
    expect(readFileSync(new URL(name, folder), "utf8"), `${name} is stale: npm run schemas`).toBe(text);
  }
});

test("[C1] the preset schema knows every field by its description or type", () => {
  const schema = JSON.parse(jsonSchemas()["preset.schema.json"] ?? "") as { properties: Record<string, unknown> };
  expect(Object.keys(schema.properties)).toEqual(
    expect.arrayContaining(["presetMessages", "messageTemplates", "contextRecipes", "variables", "postProcessing"]),
  );
});
