import { setTimeout as sleep } from "node:timers/promises";
import { GalleyError } from "@galley/engine";
import { duplicateIdError } from "./ids.ts";
import { messageOf } from "../../disk/storage-error.ts";

const defaultPatience = 60_000;
/** A transaction that lost a race is run again this often before its error is let through. */
const raceLimit = 20;
/** A key that was taken in between is a race the first times, and a bug after that. */
const duplicateLimit = 3;

/**
 * Runs `work` again while the server is away or another transaction was in the way. Only for work that can be run twice:
 * a connection that breaks in a commit leaves open whether it went through.
 */
export async function withRetries<Result>(
  work: () => Promise<Result>,
  { patience = defaultPatience }: { readonly patience?: number } = {},
): Promise<Result> {
  const until = performance.now() + patience;
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      const kind = kindOf(error);
      if (kind === "other" || (kind === "race" && tries >= raceLimit)) throw error;
      if (kind === "duplicate" && tries >= duplicateLimit) throw duplicateIdError(error);
      if (kind === "away" && performance.now() >= until) throw unavailable(error);
      const longest = kind === "away" ? 1000 : 50;
      await sleep(Math.random() * Math.min(longest, 10 * 2 ** tries));
    }
  }
}

type Kind = "away" | "race" | "duplicate" | "other";

/** Error codes of sockets that mean that there is no server, for now. */
const socketCodes = new Set(["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "ENOENT", "EAI_AGAIN", "ENOTFOUND"]);

function kindOf(error: unknown): Kind {
  if (!(error instanceof Error) || error instanceof GalleyError) return "other";
  const code = "code" in error ? String(error.code) : "";
  if (code === "40001" || code === "40P01" || code === "55P03") return "race";
  if (code === "23505") return "duplicate";
  // Class 08: connections; 57P0x: shutting down, starting up; 53300: too many connections.
  if (/^(08...|57P0[123]|53300)$/.test(code) || socketCodes.has(code)) return "away";
  // node-postgres has no codes for a connection that broke or could not be had in time.
  return /connection terminated|timeout exceeded when trying to connect|connection error/i.test(error.message)
    ? "away"
    : "other";
}

function unavailable(cause: unknown): GalleyError {
  return new GalleyError("StoreUnavailable", `PostgreSQL cannot be reached: ${messageOf(cause)}.`, {
    hint: "Check the URL and that the server runs and takes connections.",
    retryable: true,
    cause,
  });
}
