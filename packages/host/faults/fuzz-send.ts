import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { FuzzRequest } from "./fuzz-requests.ts";

export interface FuzzAnswer {
  /** 0 when the connection was closed without an answer. */
  readonly status: number;
  readonly text: string;
}

export interface SendLimits {
  /** So long may an answer take to begin. */
  readonly beginMs: number;
  /** A stream that has been silent for so long is left. */
  readonly silenceMs: number;
}

/** Sends exactly these bytes on a connection of their own; throws when there is no answer in time. */
export async function sendBytes(port: number, request: FuzzRequest, limits: SendLimits): Promise<FuzzAnswer> {
  const socket = connect(port, "127.0.0.1");
  const pieces: Buffer[] = [];
  const begun = performance.now();
  let heard = begun;
  const state = { isOver: false };
  socket.on("data", (piece) => {
    heard = performance.now();
    pieces.push(piece);
  });
  // A server may close while we still send: what it has said before is its answer.
  socket.on("error", () => (state.isOver = true));
  socket.on("close", () => (state.isOver = true));
  socket.write(bytesOf(port, request));
  while (!state.isOver) {
    await sleep(2);
    const quiet = performance.now() - heard;
    if (pieces.length === 0 && quiet > limits.beginMs) {
      socket.destroy();
      throw new Error(`No answer in ${limits.beginMs} ms.`);
    }
    // A stream need not end, and its head may come in several pieces.
    const isLong = quiet > limits.silenceMs || performance.now() - begun > limits.beginMs;
    if (pieces.length > 0 && isLong && isStream(pieces)) break;
    if (pieces.length > 0 && quiet > limits.beginMs) {
      socket.destroy();
      throw new Error(`An answer without an end in ${limits.beginMs} ms.`);
    }
  }
  socket.destroy();
  const text = Buffer.concat(pieces).toString("utf8");
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0), text };
}

function isStream(pieces: readonly Buffer[]): boolean {
  const head = Buffer.concat(pieces.slice(0, 10)).toString("latin1");
  return /content-type: text\/event-stream/i.test(head);
}

function bytesOf(port: number, { method, target, headers, body }: FuzzRequest): Buffer {
  const has = (name: string): boolean => headers.some(([one]) => one === name);
  const lines = [
    `${method} ${target} HTTP/1.1`,
    ...(has("host") ? [] : [`host: 127.0.0.1:${port}`]),
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(has("content-length") || has("transfer-encoding") ? [] : [`content-length: ${body.length}`]),
    ...(has("connection") ? [] : ["connection: close"]),
  ];
  return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "utf8"), body]);
}
