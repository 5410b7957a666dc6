import { type Build, type WireProvider, exportFor } from "@galley/engine";
import type { WireNote } from "@galley/engine/wire";
import type { ModelItem } from "./use-models.ts";

/** What a provider is sent, as the bytes that go out. */
export interface RawRequest {
  readonly text: string;
  readonly notes: readonly WireNote[];
}

/** The format of the provider that a model is asked through. */
export function formatOf(kind: ModelItem["kind"] | undefined): WireProvider {
  switch (kind) {
    case "openai":
      return "openai-responses";
    case "anthropic":
      return "anthropic";
    case "google":
      return "gemini";
    case "openai-compatible":
      return "openai-chat";
    case "demo":
    case undefined:
      return "ai-sdk";
  }
}

/** Throws what the provider would refuse. */
export function rawRequest(build: Build, format: WireProvider, model: string): RawRequest {
  const { messages, tools, stablePrefix } = build;
  // As a call of the model does it: the prefix that stays is marked where a provider wants a mark.
  const cacheBreakpoints = stablePrefix > 0 ? [stablePrefix - 1] : [];
  const { request, notes } = exportFor(format, { messages, tools, cacheBreakpoints, model });
  return { text: JSON.stringify(request), notes };
}
