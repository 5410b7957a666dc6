import { basename } from "node:path";
import { readSmallFile } from "../../disk/named-files.ts";
import { type DeclaredOptions, DeclaredProvider } from "./declared-provider.ts";

const maxBytes = 256 * 1024;

/** Gives every session the rules of a file, such as AGENTS.md. The file is read for each session. */
export class RulesContextProvider extends DeclaredProvider {
  readonly #file: string;

  constructor(options: DeclaredOptions & { readonly file: string }) {
    super(options, "rules");
    this.#file = options.file;
  }

  async getSystemContext(): Promise<string | undefined> {
    const text = (await readSmallFile(this.#file, maxBytes)).trim();
    return text === "" ? undefined : `## Rules (${basename(this.#file)})\n\n${text}`;
  }
}
