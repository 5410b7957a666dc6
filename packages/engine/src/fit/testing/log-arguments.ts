import type { SessionEntry } from "../../model/entries.ts";

const names = { rows: [["src/a.ts", 1, 1, 10, 1] as const], tokens: 10, messages: 1, kept: ["src/b.ts"] };
const options = { maxTokens: 200, maxCharacters: 900, countTokens: (text: string) => text.length / 4 };

/** What a caller would give to the public names about agents' logs. */
export const logArguments = (log: readonly SessionEntry[]) => ({
  detectLog: () => ['{"type":"user"}\n'],
  logDetector: () => [],
  importLog: () => [
    ['{"type":"session","id":"s","timestamp":0,"cwd":"/"}\n'],
    async () => 0,
    { name: "log", as: "pi" },
  ],
  logImporter: () => [async () => 0, { name: "log", as: "pi" }],
  readLog: () => [{ name: "log", as: "pi" }],
  growLogNames: () => [names, log],
  lostNames: () => [log],
  lostNamesSteps: () => [log],
  messagesOfLog: () => [log],
  reminderText: () => [names, { ...options, tag: "k7qf2m" }],
  summaryInstructions: () => [names, options],
});
