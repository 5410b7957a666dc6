// Gemini generateContent.
// System: messages at the front become `systemInstruction`, one part each; later ones become user text in place, wrapped
// in <system>…</system>, because contents have no such role.
// Roles: neighbours of one role are one content; a conversation that the model begins gets a short user content.
// Tools: a side's responses stand in one content, in the order of the calls, with their names and without ids, which
// older models do not know. Their images and files follow the responses in the same content.
// Thoughts are sent back only with their signature.

import { mediaOfPart } from "../../model/media.ts";
import type { ToolSpec } from "../../model/messages.ts";
import {
  type AssistantSide,
  type Placed,
  type Side,
  type SpokenPart,
  type WireContext,
  arrangeSides,
  splitLeadingSystem,
} from "../shared/arrange-sides.ts";
import { idRules } from "../shared/pair-tool-calls.ts";
import { type Media, asBase64, ownId } from "../shared/read-media.ts";
import { providerOption } from "../../model/provider-options.ts";
import { readToolOutput, toolInput, withoutTexts } from "../shared/read-parts.ts";
import {
  type BlockWriter,
  type Segment,
  assistantSaid,
  mergeRoles,
  outputBlocks,
  startWithUser,
  userSegments,
  writeMedia,
} from "../shared/segments.ts";
import { type WireExport, type WireInput, wireInputCheck } from "../shared/wire-input.ts";
import type { WireReport } from "../shared/wire-report.ts";
import type { GeminiContent, GeminiFunctionDeclaration, GeminiPart, GeminiRequest } from "./types.ts";

/** Makes the parts of a Gemini request. */
export function toGemini(input: WireInput): WireExport<GeminiRequest> {
  wireInputCheck(input, "");
  const { sides, pairing, report } = arrangeSides(input.messages, idRules.gemini);
  const { system, rest } = splitLeadingSystem(sides, report);
  const said = rest.flatMap((side) => toSegments(side, { pairing, report }));
  const merged = mergeRoles(startWithUser(said, input, { writer, report }), isResponse, report);
  const unsigned = merged.map(({ role, blocks }): GeminiContent => {
    return { role: role === "user" ? "user" : "model", parts: blocks };
  });
  const contents = signRunningTurn(unsigned, input, report);
  const tools = (input.tools ?? []).map(toDeclaration);
  const request: GeminiRequest = {
    ...(system.length === 0 ? {} : { systemInstruction: { parts: system.map(({ text }) => ({ text })) } }),
    contents,
    ...(tools.length === 0 ? {} : { tools: [{ functionDeclarations: tools }] }),
  };
  // Ids are not sent, so changed ones are not noted.
  return { request, notes: report.notes.filter(({ what }) => what !== "id-changed"), problems: report.problems };
}

function toSegments(side: Side, context: WireContext): Segment<GeminiPart>[] {
  switch (side.kind) {
    case "system":
    case "user":
      return userSegments(side, { writer, ...context });
    case "assistant":
      return [...modelSegments(side, context.report), ...resultSegments(side.results, context)];
    case "orphan":
      return resultSegments([side.result], context);
  }
}

function modelSegments(side: AssistantSide, report: WireReport): Segment<GeminiPart>[] {
  if (side.parts.length === 0) report.noteMessage(side.message, "empty-left-out");
  return assistantSaid(side, (place) => modelPart(place, report));
}

/** All responses, then their images and files: models before Gemini 3 take none inside a function response. */
function resultSegments(results: AssistantSide["results"], { pairing, report }: WireContext): Segment<GeminiPart>[] {
  const responses: Segment<GeminiPart>[] = [];
  const moved: Segment<GeminiPart>[] = [];
  for (const place of results) {
    // The call's name counts: results in the wild sometimes carry another one.
    const name = pairing.callOf(place)?.part.toolName ?? place.part.toolName;
    const { isError, value, pieces } = readToolOutput(place.part.output);
    const response = { [isError ? "error" : "output"]: value ?? null };
    const said = { role: "user", message: place.message } as const;
    responses.push({ ...said, block: { functionResponse: { name, response } } });
    const media = outputBlocks(withoutTexts(pieces), place, { writer, report });
    if (media.length === 0) continue;
    report.notePart(place, "media-moved");
    moved.push({ ...said, block: { text: `Files that the tool ${name} returned:` } });
    for (const block of media) moved.push({ ...said, block });
  }
  return [...responses, ...moved];
}

function toDeclaration({ name, description, inputSchema }: ToolSpec): GeminiFunctionDeclaration {
  return { name, ...(description === undefined ? {} : { description }), parametersJsonSchema: inputSchema };
}

/** Google's own placeholder for calls that the model did not make itself. */
const placeholder = "skip_thought_signature_validator";

/**
 * Gemini 3 and later refuse a step of the running turn whose first call has no signature. History that came from another
 * model has none: there Google's placeholder stands in.
 */
function signRunningTurn(
  contents: GeminiContent[],
  { messages, model }: WireInput,
  report: WireReport,
): GeminiContent[] {
  const generation = Number(/gemini-(\d+)/.exec(model ?? "")?.[1] ?? 0);
  if (generation < 3) return contents;
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
  if (added > 0) report.noteMessage(messages.length - 1, "signature-placeholder", `${added}`);
  return signed;
}

function isResponse(part: GeminiPart): part is Extract<GeminiPart, { functionResponse: unknown }> {
  return "functionResponse" in part;
}

const mediaTypes = /^(image\/(png|jpeg|webp|heic|heif)|(audio|video|text)\/.+|application\/pdf)$/;

const writer: BlockWriter<GeminiPart> = {
  isSilent: (text) => text === "",
  text: (text) => ({ text }),
  media: mediaPart,
  refusal: "Gemini does not take",
  taken:
    "It takes PNG, JPEG, WebP, HEIC and HEIF images, sound, video, PDF and text, as data, by URL or as its own file URI.",
};

function modelPart(place: Placed<SpokenPart>, report: WireReport): GeminiPart | undefined {
  const { part } = place;
  const thoughtSignature = signatureOf(part);
  const signed = thoughtSignature === undefined ? {} : { thoughtSignature };
  switch (part.type) {
    case "text":
      // A signature may come on an empty text and has to go back.
      if (part.text !== "" || thoughtSignature !== undefined) return { text: part.text, ...signed };
      report.notePart(place, "empty-left-out");
      return undefined;
    case "reasoning":
      if (thoughtSignature !== undefined) return { text: part.text, thought: true, ...signed };
      report.notePart(place, "reasoning-left-out");
      return undefined;
    case "file": {
      const media = writeMedia(asBase64(mediaOfPart(part)), place, { writer, report });
      return media && { ...media, ...signed };
    }
    case "tool-call":
      return { functionCall: { name: part.toolName, args: toolInput({ ...place, part }, report) }, ...signed };
  }
}

function signatureOf(part: SpokenPart): string | undefined {
  return providerOption(part, "google", "thoughtSignature") ?? providerOption(part, "vertex", "thoughtSignature");
}

function mediaPart(media: Media): GeminiPart | undefined {
  switch (media.kind) {
    case "text":
      return media.text === "" ? undefined : { text: media.text };
    case "base64":
      return mediaTypes.test(media.mediaType) && media.data !== ""
        ? { inlineData: { mimeType: media.mediaType, data: media.data } }
        : undefined;
    case "url":
      return /^(https?|gs):\/\//i.test(media.url) ? filePart(media.url, media.mediaType) : undefined;
    case "reference": {
      const uri = ownId(media, "google") ?? ownId(media, "vertex");
      return uri === undefined ? undefined : filePart(uri, media.mediaType);
    }
  }
}

function filePart(fileUri: string, mediaType: string): GeminiPart {
  // A mere family (`image`) is not a MIME type; Gemini then detects it.
  return { fileData: { fileUri, ...(mediaTypes.test(mediaType) ? { mimeType: mediaType } : {}) } };
}
