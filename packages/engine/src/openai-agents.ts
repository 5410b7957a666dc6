// OpenAI Agents SDK: a filter, a provider or a session that keeps what is sent within a budget.
export { type InputFilter, fitInput } from "./plugs/openai-agents.ts";
export { fitProvider } from "./plugs/openai-agents-provider.ts";
export { type FittedHistory, fitSession } from "./plugs/openai-agents-session.ts";
export type { PlugOptions } from "./plugs/open-plug.ts";
