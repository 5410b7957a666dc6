// The checks of everything that comes from outside, as zod schemas; the same as JSON Schema lies in `schemas/`.
export { entrySchemaFor, sessionEntrySchema } from "./model/entry-schema.ts";
export { messageSchema, toolSpecSchema } from "./model/message-schema.ts";
export { problemsOf } from "./model/check/zod-problems.ts";
export { presetSchema } from "./compose/preset/preset-schema.ts";
export { presetContextSchema } from "./compose/preset/preset-context-schema.ts";
