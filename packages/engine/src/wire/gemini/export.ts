// Gemini generateContent.
// System: messages at the front become `systemInstruction`, one part each; later ones become user text in place, wrapped
// in <system>…</system>, because contents have no such role.
// Roles: neighbours of one role are one content; a conversation that the model begins gets a short user content.
// Tools: a side's responses stand in one content, in the order of the calls, with their names and without ids, which
// older models do not know. Their images and files follow the responses in the same content.
// Thoughts are sent back only with their signature.

import type { ToolResultPart, ToolSpec } from "../../model/messages.ts";
import { type AssistantSide, type Placed, type Side, arrangeSides } from "../shared/arrange-sides.ts";
import { geminiWriter, modelPart, responseParts } from "./parts.ts";
import type { GeminiContent, GeminiFunctionDeclaration, GeminiPart, GeminiRequest } from "./types.ts";
import { splitLeadingSystem, spokenSystem } from "../shared/leading-system.ts";
import { type ToolPairing, pairToolCalls } from "../shared/pair-tool-calls.ts";
import { type Segment, mergeRoles, startWithUser, userSegments } from "../shared/segments.ts";
import type { WireExport, WireInput } from "../shared/wire-input.ts";
import { type WireReport, wireReport } from "../shared/wire-report.ts";

/** Makes the parts of a Gemini request. */
export function toGemini(input: WireInput): WireExport<GeminiRequest> {
  const report = wireReport();
  const pairing = pairToolCalls(input.messages, {}, report);
  const { system, rest } = splitLeadingSystem(arrangeSides(input.messages, pairing, report));
  const spoken = spokenSystem(system, report);
  const said = rest.flatMap((side) => toSegments(side, pairing, report));
  const merged = mergeRoles(startWithUser(said, geminiWriter, input, report), isResponse, report);
  const unsigned = merged.map(({ role, blocks }): GeminiContent => {
    return { role: role === "user" ? "user" : "model", parts: blocks };
  });
  const { contents, added } = signRunningTurn(unsigned, input.model);
  if (added > 0) report.noteMessage(input.messages.length - 1, "signature-placeholder", `${added}`);
  const tools = (input.tools ?? []).map(toDeclaration);
  const request: GeminiRequest = {
    ...(spoken.length === 0 ? {} : { systemInstruction: { parts: spoken.map(({ text }) => ({ text })) } }),
    contents,
    ...(tools.length === 0 ? {} : { tools: [{ functionDeclarations: tools }] }),
  };
  // Ids are not sent, so changed ones are not noted.
  return { request, notes: report.notes.filter(({ what }) => what !== "id-changed"), problems: report.problems };
}

function toSegments(side: Side, pairing: ToolPairing, report: WireReport): Segment<GeminiPart>[] {
  switch (side.kind) {
    case "system":
    case "user":
      return userSegments(side, geminiWriter, report);
    case "assistant":
      return [...modelSegments(side, report), ...resultSegments(side.results, pairing, report)];
    case "orphan":
      return resultSegments([side.result], pairing, report);
  }
}

function modelSegments(side: AssistantSide, report: WireReport): Segment<GeminiPart>[] {
  if (side.parts.length === 0) report.noteMessage(side.message, "empty-left-out");
  return side.parts.flatMap((place): Segment<GeminiPart>[] => {
    const block = modelPart(place, report);
    return block ? [{ role: "assistant", message: place.message, block }] : [];
  });
}

function resultSegments(
  results: readonly Placed<ToolResultPart>[],
  pairing: ToolPairing,
  report: WireReport,
): Segment<GeminiPart>[] {
  const responses: Segment<GeminiPart>[] = [];
  const media: Segment<GeminiPart>[] = [];
  for (const place of results) {
    // The call's name counts: results in the wild sometimes carry another one.
    const name = pairing.callOf(place)?.part.toolName ?? place.part.toolName;
    const parts = responseParts(place, name, report);
    responses.push({ role: "user", message: place.message, block: parts.response });
    for (const block of parts.media) media.push({ role: "user", message: place.message, block });
  }
  return [...responses, ...media];
}

function toDeclaration({ name, description, inputSchema }: ToolSpec): GeminiFunctionDeclaration {
  return { name, ...(description === undefined ? {} : { description }), parametersJsonSchema: inputSchema };
}

/** Google's own placeholder for calls that the model did not make itself. */
const placeholder = "skip_thought_signature_validator";

interface SignedContents {
  readonly contents: GeminiContent[];
  readonly added: number;
}

/**
 * Gemini 3 and later refuse a step of the running turn whose first call has no signature. History that came from another
 * model has none: there Google's placeholder stands in.
 */
function signRunningTurn(contents: GeminiContent[], model: string | undefined): SignedContents {
  const generation = Number(/gemini-(\d+)/.exec(model ?? "")?.[1] ?? 0);
  if (generation < 3) return { contents, added: 0 };
  const start = contents.findLastIndex(({ role, parts }) => role === "user" && !parts.some(isResponse));
  let added = 0;
  const signed = contents.map((content, index) => {
    const first = content.parts.findIndex((part) => "functionCall" in part);
    const call = content.parts[first];
    if (index < start || content.role !== "model" || !call || isResponse(call)) return content;
    if (call.thoughtSignature !== undefined) return content;
    added += 1;
    return { ...content, parts: content.parts.with(first, { ...call, thoughtSignature: placeholder }) };
  });
  return { contents: signed, added };
}

function isResponse(part: GeminiPart): part is Extract<GeminiPart, { functionResponse: unknown }> {
  return "functionResponse" in part;
}
