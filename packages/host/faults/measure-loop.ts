// Loaded before a program: on SIGUSR2 it writes down how long the event loop was silent at most since the last time, and how long
// the longest `JSON.parse` of a long text took. Besides the delay by the wall's clock it counts the processor's time of this thread between
// two turns of the loop: other programs of the machine cannot add to that.
import { writeFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { isMainThread } from "node:worker_threads";

const file = process.env["GALLEY_LOOP_FILE"];

/** In characters: shorter than the body of any request that is long. */
const longText = 100_000;

function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

if (isMainThread && file !== undefined) {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  let [silentMs, parseMs, last] = [0, 0, processorMs()];
  setInterval(() => {
    const now = processorMs();
    silentMs = Math.max(silentMs, now - last);
    last = now;
  }, 5).unref();
  const { parse } = JSON;
  JSON.parse = (text: string, ...rest: []) => {
    // Asking for the time takes longer than parsing a line, and a log has a hundred thousand of them.
    if (text.length < longText) return parse(text, ...rest) as unknown;
    const before = processorMs();
    const value: unknown = parse(text, ...rest);
    parseMs = Math.max(parseMs, processorMs() - before);
    return value;
  };
  process.on("SIGUSR2", () => {
    writeFileSync(file, JSON.stringify({ silentMs, parseMs, delayMs: delay.max / 1e6 }));
    [silentMs, parseMs, last] = [0, 0, processorMs()];
    delay.reset();
  });
}
