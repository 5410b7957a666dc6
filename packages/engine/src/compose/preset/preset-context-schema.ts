import { presetContext } from "./preset-context.ts";

/** What a preset may say of the turns that use it [T3], for schemas that share its fields. */
export const presetContextSchema: ReturnType<typeof presetContext> = presetContext();
