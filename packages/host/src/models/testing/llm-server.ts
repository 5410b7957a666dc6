import type { LlmAnswer, LlmRequest, LlmTrouble } from "./llm-protocols.ts";
import { type ScriptedServer, startScriptedServer } from "./scripted-server.ts";

export interface LlmServer extends ScriptedServer {
  readonly requests: LlmRequest[];
}

/** A server whose model answers with a text, a call, an error of the provider, or a text that never ends. */
export async function startLlmServer(
  model: (request: LlmRequest) => LlmAnswer | LlmTrouble | Promise<LlmAnswer | LlmTrouble>,
): Promise<LlmServer> {
  const requests: LlmRequest[] = [];
  const server = await startScriptedServer(async ({ request, protocol, begin, frames, say, refuse }) => {
    requests.push(request);
    const answer = await model(request);
    if ("status" in answer) return refuse(answer.status, { error: { message: answer.error } });
    if (!("stalledText" in answer)) return say(answer);
    const first = frames({ text: answer.stalledText }).slice(0, protocol.name === "openai-chat" ? 2 : 3);
    begin().write(first.join(""));
  });
  return { ...server, requests };
}

/**
 * A model that calls the tool of this name once, when it is offered under whatever prefix, and then repeats what the tool
 * gave.
 */
export function toolCallingModel(toolName: string, input: Readonly<Record<string, unknown>>) {
  return ({ tools, toolResults }: LlmRequest): LlmAnswer => {
    const result = toolResults.at(-1);
    if (result !== undefined) return { text: `The tool said: ${result}` };
    const tool = tools.find(({ name }) => name.endsWith(toolName));
    return tool ? { tool, input } : { text: "There is no such tool." };
  };
}

/**
 * A model that does what the newest message with a call says: `CALL#1 tool {"some":"input"}` calls that tool, once for each number, when it
 * is offered under whatever prefix. Everything else it answers with a sentence.
 */
export function obedientModel(): (request: LlmRequest) => LlmAnswer {
  const done = new Set<string>();
  return ({ tools, userTexts }) => {
    // Some agents put a reminder behind what the user said.
    const asked = [...userTexts.join("\n").matchAll(/CALL#(\d+) (\w+) (\{[^\n<]*\})/g)].at(-1);
    const [, number = "", name = "", input = "{}"] = asked ?? [];
    const tool = asked && tools.find((one) => one.name.endsWith(name));
    if (!tool || done.has(number)) return { text: `I have heard it, and did ${done.size} things.` };
    done.add(number);
    return { tool, input: JSON.parse(input) as Record<string, unknown> };
  };
}
