export { type LlmCompactorOptions, llmCompactor } from "./agent/llm-compactor.ts";
export { timeLimitedCompactor } from "./agent/time-limited-compactor.ts";
export { main } from "./cli/main.ts";
