// OpenAI Chat Completions.
// System: messages stay where they are; the role is taken anywhere.
// Tools: the results directly follow the message with the calls. A result is text only: its images and files follow
// the results in a user message. Reasoning has no place in this API and is left out. Empty messages are left out.
// Names: the option `openai.name` of a message says who speaks.

import type { ToolSpec } from "../model/messages.ts";
import { type AssistantTurn, type Turn, type UserTurn, arrangeTurns } from "./arrange-turns.ts";
import { openAiChatMedia } from "./openai-chat-media.ts";
import type {
  OpenAiChatMessage,
  OpenAiChatPart,
  OpenAiChatRequest,
  OpenAiChatTool,
  OpenAiChatToolCall,
} from "./openai-chat-request.ts";
import { type UserPartWriter, openAiUserContent, present } from "./openai-user-content.ts";
import { type ToolPairing, pairToolCalls } from "./pair-tool-calls.ts";
import { providerOption } from "./provider-option.ts";
import { readToolOutput, textOfPieces } from "./read-tool-output.ts";
import { toolInput } from "./tool-input.ts";
import type { WireExport, WireInput } from "./wire-input.ts";
import { type WireReport, wireReport } from "./wire-report.ts";

const idRule = { illegal: /[^a-zA-Z0-9_-]/g, maximum: 40 };

/** Makes the parts of an OpenAI Chat Completions request. */
export function toOpenAiChat(input: WireInput): WireExport<OpenAiChatRequest> {
  const report = wireReport();
  const pairing = pairToolCalls(input.messages, idRule, report);
  const turns = arrangeTurns(input.messages, pairing, report);
  const tools = (input.tools ?? []).map(toTool);
  const request: OpenAiChatRequest = {
    messages: turns.flatMap((turn) => named(toMessages(turn, pairing, report), turn, input)),
    ...(tools.length === 0 ? {} : { tools }),
  };
  return { request, notes: report.notes, problems: report.problems };
}

/** The first of a turn's messages is the one that speaks; results follow it. */
function named(messages: OpenAiChatMessage[], turn: Turn, input: WireInput): OpenAiChatMessage[] {
  const [first, ...rest] = messages;
  const source = turn.kind === "orphan" ? undefined : input.messages[turn.message];
  const name = source && providerOption(source, "openai", "name");
  if (!first || name === undefined || first.role === "tool") return messages;
  return [{ ...first, name }, ...rest];
}

function toMessages(turn: Turn, pairing: ToolPairing, report: WireReport): OpenAiChatMessage[] {
  switch (turn.kind) {
    case "system":
      if (turn.text !== "") return [{ role: "system", content: turn.text }];
      report.noteMessage(turn.message, "empty-left-out");
      return [];
    case "user":
      return toUser(turn, report);
    case "assistant":
      return toAssistant(turn, pairing, report);
    case "orphan":
      return toResults([turn.result], pairing, report);
  }
}

const userParts: UserPartWriter<OpenAiChatPart> = { text: (text) => ({ type: "text", text }), media: openAiChatMedia };

function toUser(turn: UserTurn, report: WireReport): OpenAiChatMessage[] {
  const content = openAiUserContent(turn, userParts, report);
  return content === undefined ? [] : [{ role: "user", content }];
}

function toAssistant(turn: AssistantTurn, pairing: ToolPairing, report: WireReport): OpenAiChatMessage[] {
  const { content, calls } = readSpoken(turn, pairing, report);
  const results = toResults(turn.results, pairing, report);
  if (content === "" && calls.length === 0) {
    report.noteMessage(turn.message, "empty-left-out");
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

function readSpoken(turn: AssistantTurn, pairing: ToolPairing, report: WireReport): Spoken {
  const texts = new Map<number, string>();
  const calls: OpenAiChatToolCall[] = [];
  for (const place of turn.parts) {
    const { part, message } = place;
    switch (part.type) {
      case "text":
        if (part.text !== "") texts.set(message, (texts.get(message) ?? "") + part.text);
        break;
      case "tool-call": {
        const { input, wrapped } = toolInput(part.input);
        if (wrapped) report.notePart(place, "input-wrapped");
        const call = { name: part.toolName, arguments: JSON.stringify(input) };
        calls.push({ type: "function", id: pairing.idOf(place), function: call });
        break;
      }
      case "reasoning":
        report.notePart(place, "reasoning-left-out");
        break;
      case "file":
        report.refuse(
          place,
          "OpenAI takes no files in assistant messages.",
          "Drop the part, or say it in a user message.",
        );
        break;
    }
  }
  return { content: [...texts.values()].join("\n\n"), calls };
}

function toResults(results: AssistantTurn["results"], pairing: ToolPairing, report: WireReport): OpenAiChatMessage[] {
  const messages: OpenAiChatMessage[] = [];
  const moved: OpenAiChatPart[] = [];
  for (const place of results) {
    const { pieces } = readToolOutput(place.part.output);
    const id = pairing.idOf(place);
    const media: OpenAiChatPart[] = [];
    for (const piece of pieces) {
      if (piece.kind === "media") media.push(...present(openAiChatMedia(piece.media, place, report)));
      else if (piece.kind === "custom") report.notePart(place, "custom-left-out");
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
