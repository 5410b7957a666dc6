// LangChain: a middleware for agents, and what takes the place of trimMessages.
export { type AgentMiddleware, fitMessages, fitMiddleware } from "./plugs/langchain.ts";
export type { PlugOptions } from "./plugs/open-plug.ts";
