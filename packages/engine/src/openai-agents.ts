// OpenAI Agents SDK: a filter, or a provider, that keeps every call of a run within a budget.
export { type InputFilter, fitInput } from "./plugs/openai-agents.ts";
export { fitProvider } from "./plugs/openai-agents-provider.ts";
export type { PlugOptions } from "./plugs/open-plug.ts";
