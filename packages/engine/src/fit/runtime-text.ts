import { canonicalJson } from "../model/canonical-json.ts";
import type { JsonObject, ModelMessage } from "../model/messages.ts";

/** What a session was started with, as text: keys sorted, so that the same data gives the same bytes [F11]. */
export function runtimeInitText(data: JsonObject): string {
  return `Environment of this session:\n${listText(data)}`;
}

/** What holds just now, as a message that stands before the last user message [F11]. */
export function hintMessage(data: JsonObject): ModelMessage {
  return { role: "system", content: `At this moment:\n${listText(data)}` };
}

function listText(data: JsonObject): string {
  return Object.keys(data)
    .sort()
    .filter((key) => data[key] !== undefined)
    .map((key) => {
      const value = data[key];
      return `${key}: ${typeof value === "string" ? value : canonicalJson(value)}`;
    })
    .join("\n");
}

/** What stands for history that is not sent any more. It is sent with the user's voice, not the system's: what a summary
 *  repeats may have come from anywhere. */
export function summaryText(summary: string): string {
  return `[Summary of the earlier conversation, for reference only]\n${summary}`;
}
