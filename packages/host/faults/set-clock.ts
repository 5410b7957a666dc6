// Loaded before a program: the time of day is off by as many milliseconds as a file says, at once when that changes. Timers
// and `performance.now` go on as they do when a real clock is set.
import { readFileSync } from "node:fs";

const file = process.env["GALLEY_CLOCK_FILE"] ?? "";
const RealDate = Date;
let shift = 0;
let readAt = -1;

function shifted(): number {
  const now = performance.now();
  if (readAt < 0 || now - readAt > 2) {
    readAt = now;
    try {
      shift = Number(readFileSync(file, "utf8"));
    } catch {
      // It is being written.
    }
  }
  return RealDate.now() + shift;
}

class SetDate extends RealDate {
  constructor(...args: []) {
    if (args.length === 0) super(shifted());
    else super(...args);
  }

  static override now(): number {
    return shifted();
  }
}

globalThis.Date = SetDate as DateConstructor;
