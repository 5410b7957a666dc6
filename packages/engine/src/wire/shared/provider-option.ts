import type { ProviderOptions } from "../../model/messages.ts";

interface Optioned {
  readonly providerOptions?: ProviderOptions;
}

/** A non-empty text among a part's provider options, by the AI SDK's names. */
export function providerOption(part: Optioned, provider: string, name: string): string | undefined {
  const value = part.providerOptions?.[provider]?.[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}
