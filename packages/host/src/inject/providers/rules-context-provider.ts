import { basename } from "node:path";
import type { ContextProvider } from "../../config/providers/context-provider.ts";
import { readSmallFile } from "../../disk/named-files.ts";

export interface RulesOptions extends Pick<ContextProvider, "required" | "timeLimitMs"> {
  readonly file: string;
  readonly name?: string;
}

const maximumBytes = 256 * 1024;

/** Gives every session the rules of a file, such as AGENTS.md. The file is read anew for each. */
export class RulesContextProvider implements ContextProvider {
  readonly name: string;
  readonly required: boolean;
  readonly timeLimitMs?: number;
  readonly #file: string;

  constructor({ file, name = "rules", required = false, timeLimitMs }: RulesOptions) {
    this.name = name;
    this.required = required;
    if (timeLimitMs !== undefined) this.timeLimitMs = timeLimitMs;
    this.#file = file;
  }

  async getSystemContext(): Promise<string | undefined> {
    const text = (await readSmallFile(this.#file, maximumBytes)).trim();
    return text === "" ? undefined : `## Rules (${basename(this.#file)})\n\n${text}`;
  }
}
