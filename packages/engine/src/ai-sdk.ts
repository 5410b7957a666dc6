// AI SDK: a step and a middleware that keep every call within a budget.
export { type AiSdkOptions, type FitMiddleware, fitMiddleware, fitStep } from "./plugs/ai-sdk.ts";
export type { PlugOptions } from "./plugs/open-plug.ts";
