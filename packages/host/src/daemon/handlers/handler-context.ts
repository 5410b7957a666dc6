import { GalleyError } from "@galley/engine";
import type { Removal } from "../../disk/store-files.ts";
import type { Galley } from "../../galley/galley.ts";
import type { BrowserSessions } from "../http/browser-sessions.ts";
import type { DaemonAgents } from "../agents/daemon-agents.ts";
import type { DaemonEvents } from "../events/event-log.ts";
import type { Confirmations } from "../http/confirmations.ts";
import type { OpenTurns } from "./open-turns.ts";

export interface HandlerContext {
  readonly galley: Galley;
  readonly events: DaemonEvents;
  readonly browsers: BrowserSessions;
  readonly agents: DaemonAgents;
  readonly openTurns: OpenTurns;
  readonly confirmations: Confirmations;
  readonly startedAt: number;
  readonly version: string;
}

/** What the routes of a data folder need, with a daemon or without one. */
export interface FolderContext {
  readonly galley: Galley;
  readonly events: Pick<DaemonEvents, "tell">;
}

export async function done(work: Promise<unknown>): Promise<{ readonly ok: true }> {
  await work;
  return { ok: true };
}

/** The answer to what is deleted, with what was removed with it. */
export async function removed(work: Promise<Removal>): Promise<{ readonly ok: true } & Removal> {
  return { ok: true, ...(await work) };
}

/** What was asked for by the id of the path, or the error that there is none. */
export function found<Value>(value: Value | undefined, kind: string, id: string): Value {
  if (value !== undefined) return value;
  throw new GalleyError("NotFound", `There is no ${kind} ${JSON.stringify(id)}.`, { path: "params.id" });
}
