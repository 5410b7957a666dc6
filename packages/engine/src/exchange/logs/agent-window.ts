import type { ShrunkPart } from "../../model/entries.ts";
import type { AgentsCompaction, ReplacedMessages } from "./log-writer.ts";

/** Which result of an entry is meant. */
export type ResultPlace = Omit<ShrunkPart, "keep">;

/** How a report says it. */
export const clearedResults = "times that the agent cleared results of tools from its window";

/** What the compactions of an agent have left of its window so far: the next one goes on from it. */
export class AgentWindow {
  #firstKept: string | null = null;
  #summary: ReplacedMessages = {};
  #shrunk: readonly ShrunkPart[] = [];

  /** An entry came in. */
  wrote(id: string): void {
    this.#firstKept ??= id;
  }

  /** Everything before the entry that is named has left, or everything: a summary stands for it, or nothing does. */
  compacted(summary: ReplacedMessages, firstKept: string | null): AgentsCompaction {
    [this.#firstKept, this.#summary] = [firstKept, summary];
    if (firstKept === null) this.#shrunk = [];
    return this.#decision();
  }

  /** Results of tools have left; the calls stay. */
  cleared(results: readonly ResultPlace[]): AgentsCompaction {
    this.#shrunk = [...this.#shrunk, ...results.map((result) => ({ ...result, keep: 0 }))];
    return { ...this.#decision(), shrunk: this.#shrunk };
  }

  #decision(): AgentsCompaction {
    const shrunk = this.#shrunk.length > 0 ? { shrunk: this.#shrunk } : {};
    return { firstKeptEntryId: this.#firstKept, ...this.#summary, ...shrunk };
  }
}
