import * as z from "zod";
import type { DataContent, ProviderOptions } from "../../model/messages.ts";
import { type ByteSource, byteSource } from "./byte-source.ts";
import { type ImageSize, imageSize } from "./image-size.ts";

/** How a provider counts pictures and documents. */
export type MediaRule =
  /** 512-pixel tiles of a picture that is at most 2048 pixels long and 768 pixels wide [OpenAI]. */
  | { readonly kind: "openai-tiles"; readonly base: number; readonly tile: number }
  /** 32-pixel patches up to a number, times a factor [OpenAI]. */
  | { readonly kind: "openai-patches"; readonly factor: number; readonly max: number }
  /** 28-pixel patches of a picture that is scaled down to an edge and a number of patches. */
  | { readonly kind: "anthropic"; readonly edge: number; readonly max: number }
  /** 258 tokens for each tile. */
  | { readonly kind: "gemini-tiles" }
  /** A fixed number for each picture, by resolution. */
  | { readonly kind: "gemini-budget" }
  /** Unknown provider: counted as the costliest of those that are known. */
  | { readonly kind: "unknown" };

export const mediaRuleSchema: z.ZodType<MediaRule> = z.lazy(() =>
  z.discriminatedUnion("kind", [
    z.looseObject({ kind: z.literal("openai-tiles"), base: z.number(), tile: z.number() }),
    z.looseObject({ kind: z.literal("openai-patches"), factor: z.number(), max: z.number() }),
    z.looseObject({ kind: z.literal("anthropic"), edge: z.number(), max: z.number() }),
    z.looseObject({ kind: z.enum(["gemini-tiles", "gemini-budget", "unknown"]) }),
  ]),
);

/** What a picture or a file costs. */
export interface MediaCount {
  readonly tokens: number;
  /** True when the provider's rule was applied to a size that is known; otherwise it is the most that it may cost. */
  readonly isByRule: boolean;
}

/** What the cost of a picture or file depends on. */
export interface CountedMedia {
  readonly mediaType: string;
  /** Bytes; missing when it lies elsewhere. */
  readonly data?: DataContent;
  readonly providerOptions?: ProviderOptions | undefined;
}

/** A file of a kind that no rule is known for: about what a picture of a megapixel costs. */
const unknownFile = 1600;

export function countMedia(media: CountedMedia, rule: MediaRule): MediaCount {
  const { mediaType, data } = media;
  if (/^image(\/|$)/.test(mediaType)) {
    const size = data === undefined ? undefined : imageSize(byteSource(data));
    return countImage(rule, size, detailOf(media));
  }
  if (mediaType === "application/pdf") return countPdf(rule, data);
  // Sent as text. Where no text is short of that many bytes a token, the figure is too high rather than too low.
  if (mediaType.startsWith("text/") && data !== undefined) {
    return { tokens: Math.ceil(byteSource(data).length / 2.5), isByRule: false };
  }
  return { tokens: unknownFile, isByRule: false };
}

/** Stands in for pictures of unknown size: with every rule it costs the most that a picture can. */
const largest: ImageSize = { width: 3072, height: 3072 };

export function countImage(rule: MediaRule, known: ImageSize | undefined, detail?: string): MediaCount {
  const size = known ?? largest;
  const isByRule = known !== undefined;
  switch (rule.kind) {
    case "openai-tiles":
      return { tokens: detail === "low" ? rule.base : openAiTiles(size) * rule.tile + rule.base, isByRule };
    case "openai-patches": {
      const max = detail === "original" ? 10_000 : rule.max;
      return { tokens: Math.ceil(openAiPatches(size, max) * rule.factor), isByRule };
    }
    case "anthropic":
      return { tokens: edgePatches(size, rule.edge, rule.max), isByRule };
    case "gemini-tiles":
      return { tokens: geminiTiles(size) * 258, isByRule };
    case "gemini-budget":
      return { tokens: geminiBudgets[detail ?? "high"] ?? 1120, isByRule: true };
    case "unknown":
      return { tokens: edgePatches(size, 2576, 4784), isByRule: false };
  }
}

function openAiTiles({ width, height }: ImageSize): number {
  const fit = Math.min(1, 2048 / Math.max(width, height));
  const scale = fit * Math.min(1, 768 / (Math.min(width, height) * fit));
  const tilesAcross = (edge: number): number => Math.ceil(Math.max(1, Math.floor(edge * scale)) / 512);
  return tilesAcross(width) * tilesAcross(height);
}

/** Too many patches: the picture is scaled so that whole patches fill one of its sides. */
function openAiPatches({ width, height }: ImageSize, max: number): number {
  const patches = Math.ceil(width / 32) * Math.ceil(height / 32);
  if (patches <= max) return patches;
  const shrink = Math.sqrt((max * 32 * 32) / (width * height));
  const [across, down] = [(width * shrink) / 32, (height * shrink) / 32];
  const adjust = Math.min(Math.floor(across) / across, Math.floor(down) / down);
  if (!(adjust > 0)) return max;
  // One of the two is a whole number but for rounding.
  const whole = (edge: number): number => Math.ceil(edge * adjust - 1e-9);
  return Math.min(max, whole(across) * whole(down));
}

function edgePatches({ width, height }: ImageSize, edge: number, max: number): number {
  const scale = Math.min(1, edge / Math.max(width, height));
  const patches = Math.ceil((width * scale) / 28) * Math.ceil((height * scale) / 28);
  return Math.min(patches, max);
}

function geminiTiles({ width, height }: ImageSize): number {
  if (width <= 384 && height <= 384) return 1;
  const unit = Math.min(768, Math.max(256, Math.floor(Math.min(width, height) / 1.5)));
  return Math.ceil(width / unit) * Math.ceil(height / unit);
}

const geminiBudgets: Readonly<Record<string, number>> = { low: 280, medium: 560, high: 1120, ultra_high: 2240 };

/** Tokens of a page where the provider says so, and as many pages as it takes at most. */
function pageRule(rule: MediaRule): { readonly page: number; readonly max: number; readonly isStated: boolean } {
  switch (rule.kind) {
    case "gemini-tiles":
      return { page: 258, max: 1000, isStated: true };
    case "gemini-budget":
      return { page: 560, max: 1000, isStated: true };
    case "anthropic":
      // 1,500 to 3,000 for the text of a page, and the page as a picture besides.
      return { page: 3000 + 1568, max: 600, isStated: false };
    case "openai-tiles":
    case "openai-patches":
    case "unknown":
      return { page: 3000 + 1568, max: 100, isStated: false };
  }
}

/** Of a PDF whose pages cannot be counted. */
const bytesOfPage = 30_000;

function countPdf(rule: MediaRule, data: DataContent | undefined): MediaCount {
  const { page, max, isStated } = pageRule(rule);
  if (data === undefined) return { tokens: page * 10, isByRule: false };
  const bytes = byteSource(data);
  const pages = pdfPages(bytes);
  const taken = Math.min(max, pages ?? Math.max(1, Math.ceil(bytes.length / bytesOfPage)));
  return { tokens: taken * page, isByRule: isStated && pages !== undefined };
}

/** Bytes that are looked at together. */
const windowSize = 65_536;

/** Counts a PDF's pages by its page objects; nothing when it is not a PDF, or keeps them compressed. */
export function pdfPages(bytes: ByteSource): number | undefined {
  if (textAt(bytes, 0, 5) !== "%PDF-") return undefined;
  let pages = 0;
  let rest = "";
  for (let at = 0; at < bytes.length; at += windowSize) {
    const text = rest + textAt(bytes, at, Math.min(windowSize, bytes.length - at));
    // What may be the start of a match waits for the bytes that follow.
    const whole = text.length - (at + windowSize < bytes.length ? 32 : 0);
    for (const match of text.matchAll(/\/Type\s{0,4}\/Page(?![A-Za-z])/g)) if (match.index < whole) pages += 1;
    rest = text.slice(whole);
  }
  return pages > 0 ? pages : undefined;
}

function textAt(bytes: ByteSource, from: number, length: number): string {
  let text = "";
  for (let index = 0; index < length; index++) text += String.fromCharCode(bytes.at(from + index));
  return text;
}

/** What the caller asks the provider for, where the AI SDK's options say it. */
function detailOf({ providerOptions }: CountedMedia): string | undefined {
  const openAi = providerOptions?.["openai"]?.["imageDetail"];
  if (typeof openAi === "string") return openAi;
  const google = providerOptions?.["google"]?.["mediaResolution"];
  return typeof google === "string" ? google.replace("MEDIA_RESOLUTION_", "").toLowerCase() : undefined;
}
