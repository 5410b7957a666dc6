import type { ContextProvider } from "../../config/providers/context-provider.ts";

/** What the configuration may say of any provider that Galley ships. */
export interface DeclaredOptions {
  readonly name?: string;
  readonly required?: boolean | undefined;
  readonly timeLimitMs?: number | undefined;
}

export abstract class DeclaredProvider implements Pick<ContextProvider, "name" | "required" | "timeLimitMs"> {
  readonly name: string;
  readonly required: boolean;
  readonly timeLimitMs?: number;

  constructor({ name, required = false, timeLimitMs }: DeclaredOptions, usualName: string) {
    this.name = name ?? usualName;
    this.required = required;
    if (timeLimitMs !== undefined) this.timeLimitMs = timeLimitMs;
  }
}
