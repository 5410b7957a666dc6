// OpenAI Responses.
// System: messages at the front become `instructions`, joined by a blank line; later ones are `system` items in place.
// Where there is nothing but system messages they stay items, because `input` may not be empty.
// Reasoning is sent back only as the item it was (`providerOptions.openai.itemId`), and only in front of what it led to.
// Empty texts are left out. `strict` is off: a strict schema is not the schema that was given.

import type { ToolSpec } from "../../model/messages.ts";
import { type AssistantSide, type Side, arrangeSides } from "../shared/arrange-sides.ts";
import { splitLeadingSystem, spokenSystem } from "../shared/leading-system.ts";
import { assistantText, callId, looseThoughts } from "./reasoning.ts";
import { openAiInputWriter } from "./media.ts";
import type {
  OpenAiFunctionCallOutput,
  OpenAiInputItem,
  OpenAiInputPart,
  OpenAiResponsesRequest,
  OpenAiResponsesTool,
} from "./types.ts";
import { openAiUserMessages } from "../shared/openai-writer.ts";
import { type ToolPairing, pairToolCalls } from "../shared/pair-tool-calls.ts";
import { refuseAssistantFile } from "../shared/read-media.ts";
import { readToolOutput, textOfPieces } from "../shared/read-tool-output.ts";
import { toolInput } from "../shared/tool-input.ts";
import type { WireExport, WireInput } from "../shared/wire-input.ts";
import { type WireReport, wireReport } from "../shared/wire-report.ts";

const idRule = { illegal: /[^a-zA-Z0-9_-]/g, maximum: 64 };

/** Makes the parts of an OpenAI Responses request. */
export function toOpenAiResponses(input: WireInput): WireExport<OpenAiResponsesRequest> {
  const report = wireReport();
  const pairing = pairToolCalls(input.messages, idRule, report);
  const { system, rest } = splitLeadingSystem(arrangeSides(input.messages, pairing, report));
  const spoken = spokenSystem(system, report);
  const items = rest.flatMap((side) => toItems(side, pairing, report));
  const isSystemOnly = items.length === 0;
  const instructions = isSystemOnly ? "" : spoken.map(({ text }) => text).join("\n\n");
  const tools = (input.tools ?? []).map(toTool);
  const request: OpenAiResponsesRequest = {
    ...(instructions === "" ? {} : { instructions }),
    input: isSystemOnly ? spoken.map(({ text }) => ({ role: "system", content: text })) : items,
    ...(tools.length === 0 ? {} : { tools }),
  };
  return { request, notes: report.notes, problems: report.problems };
}

function toItems(side: Side, pairing: ToolPairing, report: WireReport): OpenAiInputItem[] {
  switch (side.kind) {
    case "system":
      return spokenSystem([side], report).map(({ text }) => ({ role: "system", content: text }));
    case "user":
      return openAiUserMessages(side, openAiInputWriter, report);
    case "assistant":
      return [
        ...toAssistant(side, pairing, report),
        ...side.results.map((result) => toOutput(result, pairing, report)),
      ];
    case "orphan":
      return [toOutput(side.result, pairing, report)];
  }
}

function toAssistant(side: AssistantSide, pairing: ToolPairing, report: WireReport): OpenAiInputItem[] {
  const items: OpenAiInputItem[] = [];
  const thoughts = looseThoughts(items, report);
  for (const place of side.parts) {
    const { part } = place;
    switch (part.type) {
      case "text":
        if (part.text === "") {
          report.notePart(place, "empty-left-out");
          thoughts.skip(place);
        } else items.push(assistantText(part, thoughts.leadTo(place)));
        break;
      case "tool-call": {
        const input = toolInput({ ...place, part }, report);
        const own = callId(part, thoughts.leadTo(place));
        const call_id = pairing.idOf(place);
        items.push({ type: "function_call", ...own, call_id, name: part.toolName, arguments: JSON.stringify(input) });
        break;
      }
      case "reasoning":
        thoughts.add({ ...place, part });
        break;
      case "file":
        refuseAssistantFile(place, "OpenAI", report);
        break;
    }
  }
  thoughts.drop();
  if (items.length === 0) report.noteMessage(side.message, "empty-left-out");
  return items;
}

function toOutput(
  place: AssistantSide["results"][number],
  pairing: ToolPairing,
  report: WireReport,
): OpenAiFunctionCallOutput {
  const { pieces } = readToolOutput(place.part.output);
  const isText = pieces.every((piece) => piece.kind === "text");
  const parts = pieces.flatMap((piece): OpenAiInputPart[] => {
    switch (piece.kind) {
      case "text":
        return piece.text === "" ? [] : [{ type: "input_text", text: piece.text }];
      case "media": {
        const part = openAiInputWriter.media(piece.media, place, report);
        return part ? [part] : [];
      }
      case "custom":
        report.notePart(place, "custom-left-out");
        return [];
    }
  });
  const output = isText || parts.length === 0 ? textOfPieces(pieces) : parts;
  return { type: "function_call_output", call_id: pairing.idOf(place), output };
}

function toTool({ name, description, inputSchema }: ToolSpec): OpenAiResponsesTool {
  const described = description === undefined ? {} : { description };
  return { type: "function", name, ...described, parameters: inputSchema, strict: false };
}
