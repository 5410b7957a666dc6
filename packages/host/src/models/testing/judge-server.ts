import { judgeAnthropic } from "./judge-anthropic.ts";
import { judgeGemini } from "./judge-gemini.ts";
import { judgeOpenAiChat } from "./judge-openai-chat.ts";
import { judgeOpenAiResponses } from "./judge-openai-responses.ts";
import { type Ruling, judge } from "./ruling.ts";
import { type ScriptedServer, startScriptedServer } from "./scripted-server.ts";

const judges: Readonly<Record<string, (body: unknown) => readonly Ruling[]>> = {
  "openai-chat": (body) => judge(judgeOpenAiChat, body),
  "openai-responses": (body) => judge(judgeOpenAiResponses, body),
  anthropic: (body) => judge(judgeAnthropic, body),
  gemini: (body) => judge(judgeGemini, body),
};

/** For what a provider would refuse the body of a request; nothing when it would take it. */
export function judgeRequest(protocol: string, body: unknown): readonly Ruling[] {
  return judges[protocol]?.(body) ?? [{ path: "", why: "no judge knows this protocol" }];
}

/** A server that takes requests as the providers would: what they refuse gets HTTP 400 with every reason. */
export function startJudge(): Promise<ScriptedServer> {
  return startScriptedServer(({ protocol, json, say, refuse }) => {
    const rulings = judgeRequest(protocol.name, json);
    if (rulings.length === 0) return say({ text: "Taken." });
    const message = rulings.map(({ path, why }) => `${path}: ${why}`).join("; ");
    const error = { type: "invalid_request_error", code: 400, status: "INVALID_ARGUMENT", message };
    return refuse(400, { type: "error", error });
  });
}
