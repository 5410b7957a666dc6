import { type ErrorCode, GalleyError, errorCatalogue } from "@galley/engine";
import { type ApiClient, ApiError, type ErrorDetails, apiClient, offlineCode } from "../../api/client.ts";
import { routes } from "../../api/index.ts";
import type { DaemonNote } from "./data-owner.ts";
import { bearer } from "./running-daemon.ts";

/** Asks a running daemon, as a program of the same user. What it refuses is thrown as the GalleyError that it was there. */
export type DaemonClient = Pick<ApiClient, "call" | "stream">;

export function daemonClient(daemon: DaemonNote): DaemonClient {
  const client = apiClient({
    routes,
    url: daemon.url,
    // A connection that has been idle may be closed by the daemon in the moment in which it is used again.
    headers: { ...bearer(daemon), connection: "close" },
  });
  return {
    async call(name, input, options) {
      try {
        return await client.call(name, input, options);
      } catch (cause) {
        throw errorOf(cause, daemon, options?.signal);
      }
    },
    async *stream(name, input, options) {
      try {
        yield* client.stream(name, input, options);
      } catch (cause) {
        throw errorOf(cause, daemon, options?.signal);
      }
    },
  };
}

/** A connection that ends on its own says nothing of use: what is known is who ended it. */
function errorOf(cause: unknown, { url, pid }: DaemonNote, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted)
    return new GalleyError("RunAborted", "It was stopped before the daemon had answered.", { cause });
  if (!(cause instanceof ApiError)) return cause;
  if (cause.code === offlineCode) {
    return new GalleyError("DaemonNotRunning", `The daemon at ${url} (process ${pid}) is gone or does not answer.`, {
      hint: "Start it again with `galley up`: it goes on with the runs that were cut off. daemon.log may say more.",
      cause,
    });
  }
  if (cause.code === `Http${cause.status}`) {
    return new GalleyError("DaemonNotRunning", `The daemon's answer cannot be read: ${cause.message}`, {
      hint: "daemon.log in the data folder may say more.",
      cause,
    });
  }
  return errorOfBody(cause);
}

/** An error that came over the wire, as it was thrown on the other side. */
export function errorOfBody(body: unknown): GalleyError {
  const { code, message, path, hint, retryable, problems = [] } = body as ErrorDetails;
  const known = knownCode(code, "DaemonNotRunning");
  return new GalleyError(known, message, {
    path,
    hint,
    retryable,
    problems: problems.map((problem) => ({
      severity: "error",
      path: "",
      ...problem,
      code: knownCode(problem.code, known),
    })),
  });
}

/** A daemon of another version may have codes that this one has not. */
function knownCode(code: string, otherwise: ErrorCode): ErrorCode {
  return Object.hasOwn(errorCatalogue, code) ? (code as ErrorCode) : otherwise;
}
