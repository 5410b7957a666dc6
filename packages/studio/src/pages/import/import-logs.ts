import { type LogFormat, logDetector } from "@galley/engine/logs";
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

/** Whose log a file is, by as much of it as that takes. Session files of Galley are not meant: the page shows those before they are saved. */
export async function droppedLogFormat(file: File): Promise<LogFormat | undefined> {
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  const isWide = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  const encoding = isWide ? (first === 0xff ? "utf-16le" : "utf-16be") : "utf-8";
  const detector = logDetector();
  const reader = file.stream().pipeThrough(new TextDecoderStream(encoding)).getReader();
  let format: LogFormat | null | undefined;
  try {
    for (let isFirst = true; format === undefined; isFirst = false) {
      const { done, value = "" } = await reader.read();
      if (isFirst && !/^\s*\{/.test(value)) return undefined;
      format = done ? (detector.end() ?? null) : detector.push(value);
    }
  } finally {
    void reader.cancel();
  }
  return format === "galley" ? undefined : (format ?? undefined);
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

/** As the command names a log that does not say its own id: both find the same session. */
function nameOf(file: string): string {
  return file.replace(/(?<=.)\.[^.]*$/, "");
}

/** `fetch` does not say how much of a body has gone out. */
function upload(file: File, as: LogFormat, onProgress: (share: number) => void): Promise<RouteReply<"logs.import">> {
  const { promise, resolve, reject } = Promise.withResolvers<RouteReply<"logs.import">>();
  const request = new XMLHttpRequest();
  request.open("POST", addressOf("logs.import", { query: { name: nameOf(file.name).slice(0, 200), as } }));
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
