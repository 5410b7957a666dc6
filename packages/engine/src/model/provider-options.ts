import type { ProviderOptions } from "./messages.ts";

interface Optioned {
  readonly providerOptions?: ProviderOptions;
}

/** Options of a provider by the AI SDK's names; nothing where none is given. */
export function optionsOf(provider: string, options: Readonly<Record<string, string | undefined>>): Optioned {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return given.length === 0 ? {} : { providerOptions: { [provider]: Object.fromEntries(given) } };
}

/** A non-empty text among a part's provider options, by the AI SDK's names. */
export function providerOption(part: Optioned, provider: string, name: string): string | undefined {
  const value = part.providerOptions?.[provider]?.[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}
