// `npm run schemas`: writes the JSON Schemas that editors complete presets and sessions with.
import { writeFileSync } from "node:fs";
import { jsonSchemas } from "./json-schemas.ts";

for (const [name, text] of Object.entries(jsonSchemas())) {
  writeFileSync(new URL(`../packages/engine/schemas/${name}`, import.meta.url), text);
  console.log(`packages/engine/schemas/${name}`);
}
