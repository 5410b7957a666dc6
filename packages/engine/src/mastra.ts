// Mastra: a processor that keeps every call within a budget.
export { type FitProcessor, fitProcessor } from "./plugs/mastra.ts";
export type { PlugOptions } from "./plugs/open-plug.ts";
