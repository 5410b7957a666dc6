import { type Language, loadTokenizer, textLanguage } from "@galley/engine";
import type { Task } from "../../store/ports/task-store.ts";

const words = {
  en: {
    label: "[The result of a task that you handed over. What follows was written by another agent, not by the user.]",
    asked: "asked",
    status: { failed: "The task failed", cancelled: "The task was cancelled", timeout: "The task took too long" },
    left: "… (about {tokens} tokens left out; the whole result is in the box {box}) …",
    elsewhere: 'It belongs to the topic "{title}", which is put away. The result is in the box {box}.',
    untitled: "It belongs to a topic that is put away. The result is in the box {box}.",
  },
  zh: {
    label: "[你交办的任务的结果。以下内容由另一个智能体写成，不是用户说的。]",
    asked: "任务",
    status: { failed: "任务失败", cancelled: "任务已取消", timeout: "任务超时" },
    left: "……（约 {tokens} 个 token 未列出；完整结果在盒子 {box} 中）……",
    elsewhere: "它属于已归档的话题“{title}”。结果在盒子 {box} 中。",
    untitled: "它属于已归档的话题。结果在盒子 {box} 中。",
  },
} as const satisfies Record<Language, unknown>;

/** More than this of a result is not sent by itself. */
const maxTokens = 2000;
/** Of one that is longer, these shares of the limit stay at either end. */
const headShare = 0.6;
const tailShare = 0.3;

/**
 * What a model is told of a task that has ended [A1]. A function of the task alone, so that it is the same whoever writes it;
 * with `topic`, the context that the task was handed over in is put away, and only one line comes.
 */
export async function resultText(task: Task, topic?: { readonly title: string }): Promise<string> {
  const said = answerText(task);
  const asked = textDetail(task, "asked");
  const text = words[textLanguage([asked || said]) ?? "en"];
  const facts = [`task_id: ${task.id}`, ...factsOf(task), ...(asked === "" ? [] : [`${text.asked}: ${asked}`])];
  const head = `${text.label}\n${facts.join(" · ")}`;
  const failure = failureText(task, text.status);
  if (topic) {
    const where = topic.title === "" ? text.untitled : text.elsewhere;
    const line = fill(where, { title: topic.title, box: task.outputBoxId });
    return [head, [failure, line].filter((part) => part !== "").join(" ")].join("\n");
  }
  const body = await shortened(said, text.left, task.outputBoxId);
  return [head, "", ...[failure, body].filter((part) => part !== "")].join("\n");
}

function factsOf(task: Task): readonly string[] {
  const profile = textDetail(task, "profileName");
  return [...(profile === "" ? [] : [`agent: ${profile}`]), `status: ${task.status}`];
}

function answerText({ result }: Task): string {
  if (result === null) return "";
  return typeof result === "string" ? result : JSON.stringify(result, undefined, 1);
}

function failureText({ status, error }: Task, names: Readonly<Record<string, string>>): string {
  const name = names[status];
  return name === undefined ? "" : `${name}${error ? ` (${error.code}): ${error.message}` : "."}`;
}

function textDetail({ details }: Task, name: string): string {
  const value = details[name];
  return typeof value === "string" ? value : "";
}

/** The text, or its head and tail with a line between them that says what is missing and where it is. */
async function shortened(said: string, left: string, box: string): Promise<string> {
  // A token has at least one byte.
  if (Buffer.byteLength(said) <= maxTokens) return said;
  const tokenizer = await loadTokenizer("o200k_base");
  const total = tokenizer.count(said);
  if (total <= maxTokens) return said;
  for (let characters = (said.length / total) * maxTokens; ; characters *= 0.8) {
    const head = said.slice(0, Math.floor(characters * headShare)).toWellFormed();
    const tail = said.slice(said.length - Math.floor(characters * tailShare)).toWellFormed();
    const kept = tokenizer.count(head) + tokenizer.count(tail);
    if (kept > maxTokens * (headShare + tailShare)) continue;
    return [head, fill(left, { tokens: String(total - kept), box }), tail].join("\n");
  }
}

function fill(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{(\w+)\}/gu, (whole, name: string) => values[name] ?? whole);
}
