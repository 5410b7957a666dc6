import { type AssistantMessage, type JsonObject, type JsonValue, canonicalJson } from "@galley/engine";
import type { NewRun, RunError, RunItem, RunPlace } from "../ports/run-store.ts";
import { decodeSessionId, encodeSessionId } from "../database/ids.ts";
import { camelCased, parsed } from "../database/rows.ts";
import type { RunRow } from "../database/tables.ts";

/** A run that begins, as its first worker holds it. */
export function toRunRow(run: NewRun, leaseUntil: number): Omit<RunRow, "seq"> {
  return {
    project_id: run.projectId,
    run_id: run.id,
    session_id: encodeSessionId(run.session),
    chat: chatColumn(run.place.chat),
    status: "running",
    attempt: 1,
    worker: run.worker,
    lease_until: leaseUntil,
    started_at: run.now,
    finished_at: null,
    input_ts: run.inputTs,
    reply_ts: null,
    model: run.model,
    place: canonicalJson(run.place),
    calls: "[]",
    error: null,
    request: canonicalJson(run.request),
    reply: null,
    result: null,
    context: null,
  };
}

/** A chat's key may be anything, as a session's id. */
export function chatColumn(chat: string | undefined): string | null {
  return chat === undefined ? null : encodeSessionId(chat);
}

/** Whether two rows were started by the same request; the time is not compared, because a repeat has another. */
export function isSameRun(row: Omit<RunRow, "seq">, present: RunRow): boolean {
  const parts = ["session_id", "model", "place", "request"] as const;
  return parts.every((part) => row[part] === present[part]);
}

export function fromRunRow(row: Omit<RunRow, "context">): RunItem {
  const { seq: _, chat: _chat, run_id: id, place, session_id, request, calls, ...rest } = row;
  const { reply, result, error, ...columns } = rest;
  return {
    ...camelCased(columns),
    id,
    place: JSON.parse(place) as RunPlace,
    session: decodeSessionId(session_id),
    request: JSON.parse(request) as JsonObject,
    calls: JSON.parse(calls) as number[],
    reply: parsed(reply) as AssistantMessage | null,
    result: parsed(result) as JsonValue,
    error: parsed(error) as RunError | null,
  };
}
