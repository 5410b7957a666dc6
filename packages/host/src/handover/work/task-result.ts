import { GalleyError, type JsonValue, type ModelMessage } from "@galley/engine";
import { type ResultField, checkResult, resultInText } from "../cards/result-fields.ts";
import type { TaskOutcome } from "./task-attempt.ts";

/** The result of a finished attempt. One that breaks the contract is an error that is worth another attempt [H3]. */
export function resultOf(
  { messages = [], result }: Extract<TaskOutcome, { status: "done" }>,
  contract: readonly ResultField[] | undefined,
): JsonValue {
  const text = lastText(messages);
  if (!contract) return result ?? text ?? null;
  const checked = checkResult(contract, result ?? (text === undefined ? undefined : resultInText(text)));
  if (checked.isValid) return checked.result;
  throw new GalleyError("ResultInvalid", `The result does not keep its contract: ${checked.problems.join(" ")}`, {
    path: "result",
    hint: `It must hold ${contract.map(({ name }) => name).join(", ")}.`,
    retryable: true,
  });
}

function lastText(messages: readonly ModelMessage[]): string | undefined {
  const content = messages.findLast(({ role }) => role === "assistant")?.content;
  if (content === undefined || typeof content === "string") return content;
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}
