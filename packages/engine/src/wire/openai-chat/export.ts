// OpenAI Chat Completions.
// System: messages stay where they are; the role is taken anywhere.
// Tools: the results directly follow the message with the calls. A result is text only: its images and files follow
// the results in a user message. Reasoning has no place in this API and is left out. Empty messages are left out.
// Names: the option `openai.name` of a message says who speaks.

import type { ToolSpec } from "../../model/messages.ts";
import { type AssistantSide, type Side, arrangeSides } from "../shared/arrange-sides.ts";
import { openAiChatWriter } from "./media.ts";
import type {
  OpenAiChatMessage,
  OpenAiChatPart,
  OpenAiChatRequest,
  OpenAiChatTool,
  OpenAiChatToolCall,
} from "./types.ts";
import { openAiUserMessages } from "../shared/openai-writer.ts";
import { type ToolPairing, pairToolCalls } from "../shared/pair-tool-calls.ts";
import { providerOption } from "../shared/provider-option.ts";
import { refuseAssistantFile } from "../shared/read-media.ts";
import { readToolOutput, textOfPieces } from "../shared/read-tool-output.ts";
import { toolInput } from "../shared/tool-input.ts";
import type { WireExport, WireInput } from "../shared/wire-input.ts";
import { type WireReport, wireReport } from "../shared/wire-report.ts";

const idRule = { illegal: /[^a-zA-Z0-9_-]/g, maximum: 40 };

/** Makes the parts of an OpenAI Chat Completions request. */
export function toOpenAiChat(input: WireInput): WireExport<OpenAiChatRequest> {
  const report = wireReport();
  const pairing = pairToolCalls(input.messages, idRule, report);
  const sides = arrangeSides(input.messages, pairing, report);
  const tools = (input.tools ?? []).map(toTool);
  const request: OpenAiChatRequest = {
    messages: sides.flatMap((side) => named(toMessages(side, pairing, report), side, input)),
    ...(tools.length === 0 ? {} : { tools }),
  };
  return { request, notes: report.notes, problems: report.problems };
}

/** The first of a side's messages is the one that speaks; results follow it. */
function named(messages: OpenAiChatMessage[], side: Side, input: WireInput): OpenAiChatMessage[] {
  const [first, ...rest] = messages;
  const source = side.kind === "orphan" ? undefined : input.messages[side.message];
  const name = source && providerOption(source, "openai", "name");
  if (!first || name === undefined || first.role === "tool") return messages;
  return [{ ...first, name }, ...rest];
}

function toMessages(side: Side, pairing: ToolPairing, report: WireReport): OpenAiChatMessage[] {
  switch (side.kind) {
    case "system":
      if (side.text !== "") return [{ role: "system", content: side.text }];
      report.noteMessage(side.message, "empty-left-out");
      return [];
    case "user":
      return openAiUserMessages(side, openAiChatWriter, report);
    case "assistant":
      return toAssistant(side, pairing, report);
    case "orphan":
      return toResults([side.result], pairing, report);
  }
}

function toAssistant(side: AssistantSide, pairing: ToolPairing, report: WireReport): OpenAiChatMessage[] {
  const { content, calls } = readSpoken(side, pairing, report);
  const results = toResults(side.results, pairing, report);
  if (content === "" && calls.length === 0) {
    report.noteMessage(side.message, "empty-left-out");
    return results;
  }
  return [
    {
      role: "assistant",
      ...(content === "" ? {} : { content }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    },
    ...results,
  ];
}

interface Spoken {
  readonly content: string;
  readonly calls: OpenAiChatToolCall[];
}

function readSpoken(side: AssistantSide, pairing: ToolPairing, report: WireReport): Spoken {
  const texts = new Map<number, string>();
  const calls: OpenAiChatToolCall[] = [];
  for (const place of side.parts) {
    const { part, message } = place;
    switch (part.type) {
      case "text":
        if (part.text !== "") texts.set(message, (texts.get(message) ?? "") + part.text);
        break;
      case "tool-call": {
        const input = toolInput({ ...place, part }, report);
        const call = { name: part.toolName, arguments: JSON.stringify(input) };
        calls.push({ type: "function", id: pairing.idOf(place), function: call });
        break;
      }
      case "reasoning":
        report.notePart(place, "reasoning-left-out");
        break;
      case "file":
        refuseAssistantFile(place, "OpenAI", report);
        break;
    }
  }
  return { content: [...texts.values()].join("\n\n"), calls };
}

function toResults(results: AssistantSide["results"], pairing: ToolPairing, report: WireReport): OpenAiChatMessage[] {
  const messages: OpenAiChatMessage[] = [];
  const moved: OpenAiChatPart[] = [];
  for (const place of results) {
    const { pieces } = readToolOutput(place.part.output);
    const id = pairing.idOf(place);
    const media: OpenAiChatPart[] = [];
    for (const piece of pieces) {
      const part = piece.kind === "media" ? openAiChatWriter.media(piece.media, place, report) : undefined;
      if (part) media.push(part);
      if (piece.kind === "custom") report.notePart(place, "custom-left-out");
    }
    const text = textOfPieces(pieces);
    if (media.length > 0) {
      report.notePart(place, "media-moved");
      moved.push({ type: "text", text: `Files that the tool call ${id} returned:` }, ...media);
    }
    const content = text === "" && media.length > 0 ? "The files follow in the next user message." : text;
    messages.push({ role: "tool", tool_call_id: id, content });
  }
  return moved.length === 0 ? messages : [...messages, { role: "user", content: moved }];
}

function toTool({ name, description, inputSchema }: ToolSpec): OpenAiChatTool {
  const described = description === undefined ? {} : { description };
  return { type: "function", function: { name, ...described, parameters: inputSchema } };
}
