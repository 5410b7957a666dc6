import { type Language, loadTokenizer, textLanguage } from "@galley/engine";
import type { Task } from "../../store/ports/task-store.ts";
import { textDetail } from "../options/given-details.ts";

const words = {
  en: {
    label: "[The result of a task that you handed over. What follows was written by another agent, not by the user.]",
    asked: "asked",
    status: { failed: "The task failed", cancelled: "The task was cancelled", timeout: "The task took too long" },
    left: "… (about {tokens} tokens left out{where}) …",
    elsewhere: 'It belongs to the topic "{title}", which is put away{where}.',
    untitled: "It belongs to a topic that is put away{where}.",
    inBox: "; the whole result is in the box {box}",
    byHandle: "; context_recall reads all of it by the handle {handle}, and it is in the box {box}",
  },
  zh: {
    label: "[你交办的任务的结果。以下内容由另一个智能体写成，不是用户说的。]",
    asked: "任务",
    status: { failed: "任务失败", cancelled: "任务已取消", timeout: "任务超时" },
    left: "……（约 {tokens} 个 token 未列出{where}）……",
    elsewhere: "它属于已归档的话题“{title}”{where}。",
    untitled: "它属于已归档的话题{where}。",
    inBox: "；完整结果在盒子 {box} 中",
    byHandle: "；用 context_recall 和句柄 {handle} 可读全文，全文也在盒子 {box} 中",
  },
} as const satisfies Record<Language, unknown>;

/** More than this of a result is not sent by itself. */
const maxTokens = 2000;
/** Of one that is longer, these shares of the limit stay at either end. */
const headShare = 0.6;
const tailShare = 0.3;

export interface ResultTelling {
  /** The context that the task was handed over in, where that is put away: only one line comes. */
  readonly topic?: { readonly title: string } | undefined;
  /** The model has `context_recall`: a handle opens the whole of what is shortened. */
  readonly canRecall?: boolean | undefined;
}

/** What a model is told of a task that has ended [A1]. */
export async function resultText(task: Task, { topic, canRecall = false }: ResultTelling = {}): Promise<string> {
  const said = answerText(task);
  const asked = textDetail(task, "asked") ?? "";
  const text = words[textLanguage([asked || said]) ?? "en"];
  const facts = [`task_id: ${task.id}`, ...factsOf(task), ...(asked === "" ? [] : [`${text.asked}: ${asked}`])];
  const head = `${text.label}\n${facts.join(" · ")}`;
  const failure = failureText(task, text.status);
  const source = { box: task.outputBoxId, handle: `${task.id}${firstHandle}` };
  const where = said === "" ? "" : fill(canRecall ? text.byHandle : text.inBox, source);
  if (topic) {
    const line = fill(topic.title === "" ? text.untitled : text.elsewhere, { title: topic.title, where });
    return [head, [failure, line].filter((part) => part !== "").join(" ")].join("\n");
  }
  const body = await shortened(said, text.left, where);
  return [head, "", ...[failure, body].filter((part) => part !== "")].join("\n");
}

function factsOf(task: Task): readonly string[] {
  const profile = textDetail(task, "profileName");
  return [...(profile === undefined ? [] : [`agent: ${profile}`]), `status: ${task.status}`];
}

/** A result is a log of one message, whose handle has the id of the task in front [R1]. */
const firstHandle = "§1";

/** What a task gave, as text; nothing where it gave nothing. */
export function answerText({ result }: Pick<Task, "result">): string {
  if (result === null) return "";
  return typeof result === "string" ? result : JSON.stringify(result, undefined, 1);
}

function failureText({ status, error }: Task, names: Readonly<Record<string, string>>): string {
  const name = names[status];
  return name === undefined ? "" : `${name}${error ? ` (${error.code}): ${error.message}` : "."}`;
}

/** The text, or its head and tail with a line between them that says what is missing and where it is. */
async function shortened(said: string, left: string, where: string): Promise<string> {
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
    return [head, fill(left, { tokens: String(total - kept), where }), tail].join("\n");
  }
}

function fill(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{(\w+)\}/gu, (whole, name: string) => values[name] ?? whole);
}
