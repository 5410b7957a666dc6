import { GalleyError, type Problem } from "@galley/engine";
import type { CommanderError } from "commander";
import { cleanLines } from "./clean-text.ts";
import { type Terminal, styleFor } from "./terminal.ts";

/** Tells a person, or with `--json` a program, what went wrong; gives the exit code. */
export function reportError(error: unknown, terminal: Terminal, isJson: boolean): number {
  if (!(error instanceof GalleyError)) throw error;
  if (isJson) terminal.err(`${JSON.stringify({ error })}\n`);
  else {
    const errors = error.problems.filter((problem) => problem.severity === "error");
    const first = {
      severity: "error",
      code: error.code,
      message: error.message,
      path: error.path ?? "",
      hint: error.hint,
    } as const;
    for (const problem of errors.length > 0 ? errors : [first]) terminal.err(problemText(problem, terminal));
  }
  return error.code === "BadUsage" ? 2 : 1;
}

export function reportWarnings(problems: readonly Problem[], terminal: Terminal): void {
  for (const problem of problems) if (problem.severity === "warning") terminal.err(problemText(problem, terminal));
}

export function problemText({ severity, code, message, path, hint }: Problem, terminal: Terminal): string {
  const style = styleFor(terminal);
  const title = severity === "error" ? style.red(`error ${code}`) : style.yellow("warning");
  const lines = [`${title}: ${cleanLines(message)}`];
  if (path && !message.includes(path)) lines.push(style.dim(`  at ${cleanLines(path)}`));
  if (hint) lines.push(`  ${style.dim("hint:")} ${cleanLines(hint)}`);
  return `${lines.join("\n")}\n`;
}

/** Prints a result: one JSON document with `--json`, otherwise a text for a person. */
export function printResult(
  terminal: Terminal,
  { json }: { readonly json?: boolean },
  value: unknown,
  text: string | (() => string),
): void {
  terminal.out(json ? toJson(value) : typeof text === "string" ? text : text());
}

/** One JSON document, as `--json` prints it. */
export function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** What the parser of the command line refuses, as one of our errors: with a code, and with where to read on. */
export function usageError({ message }: CommanderError, path: readonly string[]): GalleyError {
  const [said = "", suggestion] = message.replace(/^error: /, "").split(/\n\((.*)\)$/s);
  const text = said.charAt(0).toUpperCase() + said.slice(1);
  const help = `${path.join(" ")} --help`;
  return new GalleyError("BadUsage", text.endsWith(".") ? text : `${text}.`, {
    hint: suggestion === undefined ? help : `${suggestion} ${help}`,
  });
}
