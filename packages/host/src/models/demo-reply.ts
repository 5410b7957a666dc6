import type { LanguageModelV4CallOptions, LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";
import { onOneLine } from "../limits/short-text.ts";
import { type DemoCommand, demoCommands } from "./demo-commands.ts";

/** What the demo model does with a prompt. */
export type DemoReply =
  /** A slow one comes word by word, so that a person can watch it and stop it. */
  | { readonly kind: "text"; readonly text: string; readonly isSlow?: true }
  | { readonly kind: "call"; readonly id: string; readonly tool: string; readonly input: string };

type Asked = Pick<LanguageModelV4CallOptions, "prompt" | "tools" | "toolChoice">;

/** Decides by simple rules on the last user message; the same prompt always gives the same reply. */
export function demoReply({ prompt, tools = [], toolChoice }: Asked): DemoReply {
  const names = toolChoice?.type === "none" ? [] : tools.map(({ name }) => name);
  const lastUser = prompt.findLastIndex(({ role }) => role === "user");
  const text = lastUser < 0 ? "" : messageText(prompt[lastUser]);
  const commands = demoCommands(text);
  const after = prompt.slice(lastUser + 1);
  const step = nextStep(after);
  const command = commands[step];
  const answered = lastResult(after);
  if (command?.kind === "call") {
    const tool = offered(command.tool, names);
    if (tool === undefined)
      return say(
        `I would call ${command.tool}, but it is not offered to me here. Tools of a context stay as they were when it began, unless a person switches others on.`,
      );
    return { kind: "call", id: `demo-${step}-${hash(promptText(prompt))}`, tool, input: JSON.stringify(command.input) };
  }
  if (command) {
    const isSlow = command.kind === "words" && command.isSlow;
    return { ...say(otherCommand(command)), ...(isSlow ? { isSlow } : {}) };
  }
  if (answered !== undefined) return say(answered);
  return say(echo(text, prompt, names));
}

function say(text: string): Extract<DemoReply, { kind: "text" }> {
  return { kind: "text", text: `[demo] ${text}` };
}

function otherCommand(command: Exclude<DemoCommand, { kind: "call" }>): string {
  switch (command.kind) {
    case "words":
      return Array.from({ length: command.count }, (_, index) => `word${index + 1}`).join(" ");
    case "unclear":
      return `I did not understand that: ${command.why}.`;
  }
}

/** Which command comes next: the one behind the last that was called. The call's id says which that was, because after a
 *  switch of contexts the earlier calls are no longer here [W11]. */
function nextStep(after: readonly LanguageModelV4Message[]): number {
  let step = 0;
  for (const message of after) {
    if (message.role !== "assistant") continue;
    for (const part of message.content) {
      const [, made] = part.type === "tool-call" ? (/^demo-(\d+)-/.exec(part.toolCallId) ?? []) : [];
      if (made !== undefined) step = Number(made) + 1;
    }
  }
  return step;
}

/** Other programs put a prefix before the name of a tool. */
function offered(tool: string, names: readonly string[]): string | undefined {
  return names.find((name) => name === tool) ?? names.find((name) => name.endsWith(`_${tool}`));
}

/** What came of work that was handed over, in words: ids of tasks and boxes say nothing to a person. */
function handedOver(toolName: string, value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || "error" in value) return undefined;
  const { answer, results, task_id: taskId } = value as Readonly<Record<string, unknown>>;
  if (answer !== undefined) return `${toolName} says: ${short(textOf(answer))}`;
  if (Array.isArray(results)) {
    const each = (results as readonly { result?: unknown; status?: unknown }[]).map(({ result, status }) =>
      short(textOf(result ?? status)),
    );
    return `${toolName} says: ${each.join(" | ")}`;
  }
  return taskId === undefined ? undefined : "I have handed the task over. Its result comes back here.";
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : jsonText(value);
}

function lastResult(after: readonly LanguageModelV4Message[]): string | undefined {
  const last = after.at(-1);
  if (last?.role !== "tool") return undefined;
  const said = last.content.flatMap((part) => {
    if (part.type !== "tool-result") return [];
    const { output, toolName } = part;
    switch (output.type) {
      case "text":
        return [`${toolName} says: ${short(output.value)}`];
      case "json":
        return [handedOver(toolName, output.value) ?? `${toolName} says: ${short(jsonText(output.value))}`];
      case "error-text":
        return [`${toolName} failed: ${short(output.value)}`];
      case "error-json":
        return [`${toolName} failed: ${short(jsonText(output.value))}`];
      case "execution-denied":
        return [`${toolName} was not allowed${output.reason === undefined ? "" : `: ${short(output.reason)}`}`];
      case "content":
        return [`${toolName} gave ${output.value.length} parts`];
    }
  });
  return said.join("; ");
}

/** Most of our tools put a sentence for people into `message`. */
function jsonText(value: unknown): string {
  if (typeof value === "object" && value !== null && "message" in value && typeof value.message === "string") {
    return value.message;
  }
  return JSON.stringify(value);
}

const short = (text: string): string => onOneLine(text, 300);

/** In the language of what was said. */
function echo(text: string, prompt: LanguageModelV4Prompt, names: readonly string[]): string {
  const before = prompt.filter(({ role }) => role === "user" || role === "assistant").length - 1;
  const list = names.join(", ");
  if (/\p{Script=Han}/u.test(text)) {
    const seen = before > 0 ? `我看到之前的 ${before} 条消息。` : "";
    return `您说：“${short(text)}”。${seen}${list === "" ? "" : `我可以调用 ${list}。`}`;
  }
  const seen = before > 0 ? ` I see ${before} earlier messages.` : "";
  const heard = text.trim() === "" ? "You said nothing." : `You said: “${short(text)}”.`;
  return `${heard}${seen}${list === "" ? "" : ` I could call ${list}.`}`;
}

function messageText(message: LanguageModelV4Message | undefined): string {
  if (message === undefined) return "";
  if (typeof message.content === "string") return message.content;
  return message.content
    .map((part) => {
      switch (part.type) {
        case "text":
        case "reasoning":
          return part.text;
        case "tool-call":
          return `${part.toolName} ${JSON.stringify(part.input)}`;
        case "tool-result":
          return JSON.stringify(part.output);
        case "file":
        case "custom":
        case "reasoning-file":
        case "tool-approval-response":
          return "";
      }
    })
    .join("\n");
}

/** The whole prompt as text, to be counted. */
export function promptText(prompt: LanguageModelV4Prompt): string {
  return prompt.map((message) => `${message.role}\n${messageText(message)}`).join("\n");
}

/** FNV-1a: ids that differ from turn to turn without a clock or chance. */
function hash(text: string): string {
  let value = 0x81_1c_9d_c5;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01_00_01_93);
  }
  return (value >>> 0).toString(16).padStart(8, "0");
}
