import { type AssistantMessage, GalleyError, type JsonValue } from "@galley/engine";
import { type ResultField, checkResult, resultInText } from "../cards/result-fields.ts";

/** The result that a reply gives. One that breaks the contract is an error that is worth another attempt [H3]. */
export function resultOf(reply: AssistantMessage, contract: readonly ResultField[] | undefined): JsonValue {
  const text = textOf(reply);
  if (!contract) return text;
  const checked = checkResult(contract, resultInText(text));
  if (checked.isValid) return checked.result;
  throw new GalleyError("ResultInvalid", `The result does not keep its contract: ${checked.problems.join(" ")}`, {
    path: "result",
    hint: `It must hold ${contract.map(({ name }) => name).join(", ")}.`,
    retryable: true,
  });
}

function textOf({ content }: AssistantMessage): string {
  if (typeof content === "string") return content;
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}
