import { randomInt } from "node:crypto";
import { GalleyError } from "@galley/engine";

// A page shows what models have written, and must not be able to do everything that a person can: where a key is sent to, above
// all. What it asks for then takes a code that only the person can see, in the terminal in which the daemon runs.

/** Holds what a browser asks for until the person has entered the code that the terminal has printed. */
export interface Confirmations {
  /** Returns once the code is right; until then it throws, and tells the terminal a code when there is none yet. `byCommand` does the same. */
  check(what: string, code: string | undefined, byCommand: string): void;
}

const codeMs = 10 * 60 * 1000;
const maxTries = 5;
/** What is asked for at the same time; more than a person would, and little enough for a terminal. */
const maxOpen = 20;
/** A page that tries codes could try thousands a minute: after this many wrong ones in a row, none counts for an hour. */
const maxWrong = 20;
const lockedMs = 60 * 60 * 1000;
/** In characters: a longer line pushes its own beginning off the screen. */
const maxLength = 1000;

export function confirmations(tell: ((line: string) => void) | undefined, clock = Date.now): Confirmations {
  const open = new Map<string, { readonly code: string; readonly until: number; tries: number }>();
  let [wrong, lockedUntil] = [0, 0];
  const ask = (what: string): void => {
    for (const [key, { until }] of open) if (until <= clock()) open.delete(key);
    if (!tell || open.has(what) || open.size >= maxOpen) return;
    const code = String(randomInt(1_000_000)).padStart(6, "0");
    open.set(what, { code, until: clock() + codeMs, tries: 0 });
    tell(`Studio asks to ${what}. To allow it, enter this code there within ten minutes: ${code}`);
  };
  const noteWrong = (): void => {
    wrong += 1;
    if (wrong < maxWrong) return;
    [wrong, lockedUntil] = [0, clock() + lockedMs];
    open.clear();
    tell?.(`Studio has sent ${maxWrong} wrong codes. For an hour, none is printed or taken; commands work as before.`);
  };
  return {
    check(given, code, byCommand) {
      const what = visible(given);
      if (clock() < lockedUntil) throw locked(byCommand);
      if (what.length > maxLength) throw needed("do that", byCommand);
      ask(what);
      const asked = open.get(what);
      if (code === undefined || code.trim() === "" || !asked) throw needed(what, tell ? undefined : byCommand);
      if (code.replaceAll(/\s/g, "") === asked.code) {
        open.delete(what);
        wrong = 0;
        return;
      }
      asked.tries += 1;
      if (asked.tries >= maxTries) open.delete(what);
      noteWrong();
      throw new GalleyError("Forbidden", "The code is wrong.", {
        path: "code",
        hint:
          asked.tries >= maxTries
            ? "It holds no more. Ask again, and the terminal prints another one."
            : "The terminal in which the daemon runs has printed it, with six digits.",
      });
    },
  };
}

// What a screen shows as nothing, as a space, or in another order: two lines that look the same must be the same.
const unseen = /[\p{C}\p{Z}\p{M}\u115f\u1160\u2800\u3164\uffa0]/gu;

/** Only spaces stay as they are. */
function visible(text: string): string {
  return text.replaceAll(unseen, (one) => (one === " " ? one : `\\u{${one.codePointAt(0)?.toString(16)}}`));
}

function locked(byCommand: string): GalleyError {
  const message = `${maxWrong} codes were wrong: for an hour, a page can do nothing that takes one.`;
  return new GalleyError("Forbidden", message, { path: "code", hint: `Do it by the command: ${byCommand}` });
}

/** Where there is no terminal, a command does it. */
function needed(what: string, byCommand: string | undefined): GalleyError {
  const where = "the terminal in which the daemon runs (`galley up`) has printed";
  return new GalleyError("Forbidden", `To ${what} takes a code: a page alone must not be able to do that.`, {
    path: "code",
    hint: byCommand === undefined ? `Enter the code that ${where}.` : `Do it by the command: ${byCommand}`,
  });
}
