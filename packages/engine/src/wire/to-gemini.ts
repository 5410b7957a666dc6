// Gemini generateContent.
// System: messages at the front become `systemInstruction`, one part each; later ones become user text in place, wrapped
// in <system>…</system>, because contents have no such role.
// Roles: neighbours of one role are one content; a conversation that the model begins gets a short user content.
// Tools: a turn's responses stand in one content, in the order of the calls, with their names and without ids, which
// older models do not know. Their images and files follow the responses in the same content.
// Thoughts are sent back only with their signature.

import type { ToolResultPart, ToolSpec } from "../model/messages.ts";
import { type AssistantSide, type Placed, type Side, type UserSide, arrangeSides } from "./arrange-sides.ts";
import { modelPart, responseParts, userPart } from "./gemini-parts.ts";
import type { GeminiContent, GeminiFunctionDeclaration, GeminiPart, GeminiRequest } from "./gemini-request.ts";
import { signRunningTurn } from "./gemini-signatures.ts";
import { fillerText, splitLeadingSystem, spokenSystem, systemAsUserText } from "./leading-system.ts";
import { type ToolPairing, pairToolCalls } from "./pair-tool-calls.ts";
import type { WireExport, WireInput } from "./wire-input.ts";
import { type WireReport, wireReport } from "./wire-report.ts";

interface Segment {
  readonly role: "user" | "model";
  readonly message: number;
  readonly part: GeminiPart;
}

/** Makes the parts of a Gemini request. */
export function toGemini(input: WireInput): WireExport<GeminiRequest> {
  const report = wireReport();
  const pairing = pairToolCalls(input.messages, {}, report);
  const { system, rest } = splitLeadingSystem(arrangeSides(input.messages, pairing, report));
  const spoken = spokenSystem(system, report);
  const said = rest.flatMap((side) => toSegments(side, pairing, report));
  const merged = mergeRoles(startWithUser(said, input, report), report);
  const { contents, added } = signRunningTurn(merged, input.model);
  if (added > 0) report.noteMessage(input.messages.length - 1, "signature-placeholder", `${added}`);
  const tools = (input.tools ?? []).map(toDeclaration);
  const request: GeminiRequest = {
    ...(spoken.length === 0 ? {} : { systemInstruction: { parts: spoken.map(({ text }) => ({ text })) } }),
    contents,
    ...(tools.length === 0 ? {} : { tools: [{ functionDeclarations: tools }] }),
  };
  // Ids are not sent, so that changed ones are no news.
  return { request, notes: report.notes.filter(({ what }) => what !== "id-changed"), problems: report.problems };
}

function toSegments(side: Side, pairing: ToolPairing, report: WireReport): Segment[] {
  switch (side.kind) {
    case "system":
      return spokenSystem([side], report).map(({ message, text }) => {
        report.noteMessage(message, "system-as-user");
        return { role: "user", message, part: { text: systemAsUserText(text) } };
      });
    case "user":
      return userSegments(side, report);
    case "assistant":
      return [...modelSegments(side, report), ...resultSegments(side.results, pairing, report)];
    case "orphan":
      return resultSegments([side.result], pairing, report);
  }
}

function userSegments(side: UserSide, report: WireReport): Segment[] {
  if (side.parts.length === 0) report.noteMessage(side.message, "empty-left-out");
  return side.parts.flatMap((place): Segment[] => {
    const part = userPart(place, report);
    return part ? [{ role: "user", message: place.message, part }] : [];
  });
}

function modelSegments(side: AssistantSide, report: WireReport): Segment[] {
  if (side.parts.length === 0) report.noteMessage(side.message, "empty-left-out");
  return side.parts.flatMap((place): Segment[] => {
    const part = modelPart(place, report);
    return part ? [{ role: "model", message: place.message, part }] : [];
  });
}

function resultSegments(
  results: readonly Placed<ToolResultPart>[],
  pairing: ToolPairing,
  report: WireReport,
): Segment[] {
  const responses: Segment[] = [];
  const media: Segment[] = [];
  for (const place of results) {
    // The call's name counts: results in the wild sometimes carry another one.
    const name = pairing.callOf(place)?.part.toolName ?? place.part.toolName;
    const parts = responseParts(place, name, report);
    responses.push({ role: "user", message: place.message, part: parts.response });
    for (const part of parts.media) media.push({ role: "user", message: place.message, part });
  }
  return [...responses, ...media];
}

function startWithUser(segments: readonly Segment[], input: WireInput, report: WireReport): readonly Segment[] {
  if (segments[0]?.role === "user" || input.messages.length === 0) return segments;
  report.noteMessage(segments[0]?.message ?? 0, "filler-added");
  return [{ role: "user", message: -1, part: { text: fillerText } }, ...segments];
}

function mergeRoles(segments: readonly Segment[], report: WireReport): GeminiContent[] {
  const contents: GeminiContent[] = [];
  let newest = -1;
  for (const { role, message, part } of segments) {
    const last = contents.at(-1);
    if (last?.role !== role) contents.push({ role, parts: [part] });
    else {
      if (message > newest && !("functionResponse" in part)) report.noteMessage(message, "merged");
      last.parts.push(part);
    }
    newest = Math.max(newest, message);
  }
  return contents;
}

function toDeclaration({ name, description, inputSchema }: ToolSpec): GeminiFunctionDeclaration {
  return { name, ...(description === undefined ? {} : { description }), parametersJsonSchema: inputSchema };
}
