import { existsSync, statSync } from "node:fs";
import { parseJson } from "@galley/engine";
import * as z from "zod";
import { formatVersion } from "./chat-line.ts";
import { readText } from "./chat-paths.ts";

/** What must not be shown any more, and a stamp that changes whenever something is added [M7]. */
export interface Redactions {
  readonly ids: ReadonlySet<string>;
  readonly stamp: string;
  /** When the last one was made. */
  readonly latest: number;
}

const lineSchema = z.looseObject({ ts: z.number(), type: z.literal("redact"), entryId: z.string() });

/** Reads the chat's redactions anew whenever their file has grown. */
export function redactionReader(file: string): () => Redactions {
  let known: Redactions = { ids: new Set(), stamp: "0", latest: 0 };
  return () => {
    const stamp = String(existsSync(file) ? statSync(file).size : 0);
    if (stamp === known.stamp) return known;
    const ids = new Set<string>();
    let latest = 0;
    // What stands behind the last line end is being written.
    for (const [index, line] of readText(file).split("\n").slice(0, -1).entries()) {
      const path = `${file}:${index + 1}`;
      const { ts, entryId } = lineSchema.parse(parseJson(line, { what: `redaction at ${path}`, path }));
      ids.add(entryId);
      latest = Math.max(latest, ts);
    }
    known = { ids, stamp, latest };
    return known;
  };
}

export function formatRedaction(entryId: string, ts: number): string {
  return `${JSON.stringify({ v: formatVersion, ts, type: "redact", entryId })}\n`;
}
