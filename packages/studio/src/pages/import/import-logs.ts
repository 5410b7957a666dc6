import { type LogFormat, detectLog } from "@galley/engine/logs";
import type { RouteReply } from "galley/api";
import { ApiError, type ErrorDetails } from "galley/api/client";
import { addressOf } from "../../api/call.ts";
import { describeError } from "../../api/describe-error.ts";

/** A log that was dropped, as far as it has come in. */
export interface DroppedLog {
  readonly name: string;
  /** From 0 to 1. */
  readonly progress: number;
  readonly made?: RouteReply<"logs.import">;
  readonly error?: ErrorDetails;
}

/** Enough for the first records of every log of lines. */
const startBytes = 256 * 1024;
/** A document must be held whole. */
const maxDocumentBytes = 64 * 1024 * 1024;

/** Whose log a file is. Session files of Galley are not meant: the page shows those before they are saved. */
export async function droppedLogFormat(file: File): Promise<LogFormat | undefined> {
  const start = await file.slice(0, startBytes).text();
  if (!/^\s*[\uFEFF{]/.test(start)) return undefined;
  const format = detectLog(start) ?? (file.size <= maxDocumentBytes ? detectLog(await file.text()) : undefined);
  return format === "galley" ? undefined : format;
}

/** Sends a log to the daemon, which reads it as it comes: neither side holds more than a piece of it [L1]. */
export async function importDropped(file: File, format: LogFormat, onChange: (log: DroppedLog) => void): Promise<void> {
  const { name } = file;
  onChange({ name, progress: 0 });
  try {
    const made = await upload(file, format, (share) => onChange({ name, progress: Math.min(0.99, share) }));
    onChange({ name, progress: 1, made });
  } catch (error) {
    onChange({ name, progress: 1, error: describeError(error) });
  }
}

/** `fetch` does not say how much of a body has gone out. */
function upload(file: File, as: LogFormat, onProgress: (share: number) => void): Promise<RouteReply<"logs.import">> {
  const { promise, resolve, reject } = Promise.withResolvers<RouteReply<"logs.import">>();
  const request = new XMLHttpRequest();
  request.open("POST", addressOf("logs.import", { query: { name: file.name.slice(0, 200), as } }));
  request.setRequestHeader("content-type", "application/octet-stream");
  request.responseType = "json";
  request.upload.onprogress = ({ loaded }) => onProgress(loaded / Math.max(1, file.size));
  request.onerror = () => reject(new ApiError({ code: "Offline", message: "The daemon does not answer." }, 0));
  request.onload = () => {
    const answer: unknown = request.response;
    if (request.status === 200) resolve(answer as RouteReply<"logs.import">);
    else reject(new ApiError(answer as ErrorDetails, request.status));
  };
  request.send(file);
  return promise;
}
