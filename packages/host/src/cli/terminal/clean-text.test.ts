import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { permissionQuestion } from "../input/agent-flags.ts";
import { cleanScreen } from "./clean-text.ts";
import { type TerminalProcess, processTerminal, styleFor } from "./terminal.ts";

/** Each does something to some terminal: colours, hides, moves, writes over, sets a title, answers, turns around. */
const steering = {
  "clear the screen": "\u001b[2J\u001b[H",
  "hide what follows": "\u001b[8m",
  "write over the line": "safe\rrm -rf /",
  "go back": "rm -rf /\b\b\b\b\b\b\b\bls",
  "title and answer back": "\u001b]0;evil\u0007\u001b[21t",
  "a link that says something else": "\u001b]8;;http://evil.example\u001b\\here\u001b]8;;\u001b\\",
  "fill the clipboard": "\u001b]52;c;ZXZpbA==\u0007",
  "eight bit introducer": "\u009b2J",
  "eight bit command": "\u009d0;evil\u009c",
  "turn the direction": "\u202egnp.exe\u202c \u2066x\u2069",
  "ring, delete, null": "\u0007\u007f\u0000",
};

// oxlint-disable-next-line no-control-regex -- what must not reach a screen
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

interface Screen {
  readonly terminal: ReturnType<typeof processTerminal>;
  readonly written: () => string;
}

/** What a process with such streams writes. */
function screen(isTTY: boolean): Screen {
  const [stdout, stderr] = [0, 1].map(() => Object.assign(new PassThrough(), { isTTY, columns: 80 }));
  const terminal = processTerminal({ stdout, stderr, stdin: new PassThrough(), env: {} } as unknown as TerminalProcess);
  return { terminal, written: () => `${stdout?.read() ?? ""}${stderr?.read() ?? ""}` };
}

test.each(Object.entries(steering))("[P6] no text steers the terminal: %s", (_, text) => {
  const { terminal, written } = screen(true);
  terminal.out(`${text}\n\tseen\n`);
  terminal.err(`${text}\n\tseen\n`);
  const shown = written();
  expect(shown).not.toMatch(controls);
  // It is shown, not swallowed: a reader sees that something was there.
  expect(shown).toContain("�");
  expect(shown.match(/\n\tseen\n/g)).toHaveLength(2);
});

test("[P6] our own colours pass, and those of others do not", () => {
  const { terminal, written } = screen(true);
  const style = styleFor(terminal);
  const painted = [
    style.bold("a"),
    style.dim("b"),
    style.red("c"),
    style.yellow("d"),
    style.green("e"),
    style.cyan("f"),
  ];
  terminal.out(painted.join(""));
  expect(written()).toBe(painted.join(""));
  expect(cleanScreen("\u001b[8mhidden\u001b[0m \u001b[31;8mtoo")).toBe("�[8mhidden\u001b[0m �[31;8mtoo");
  expect(cleanScreen("line\r\nline\n")).toBe("line\nline\n");
});

test("what follows a line that was cut short begins on a line of its own, on a screen only", () => {
  const { terminal, written } = screen(true);
  const write = (to: "out" | "err", text: string): string => {
    terminal[to](text);
    return written();
  };
  expect(write("out", "Half an ans")).toBe("Half an ans");
  expect(write("err", "error RunAborted\n")).toBe("\nerror RunAborted\n");
  expect(write("out", "")).toBe("");
  expect(write("err", "  hint\n")).toBe("  hint\n");
  expect(write("out", "whole\n") + write("err", "note\n")).toBe("whole\nnote\n");
  const file = screen(false);
  file.terminal.out("Half an ans");
  file.terminal.err("error RunAborted\n");
  expect(file.written()).toBe("Half an anserror RunAborted\n");
});

test("[P6] a file gets the bytes as they are: a program reads it", () => {
  const { terminal, written } = screen(false);
  terminal.out(steering["clear the screen"]);
  expect(written()).toBe(steering["clear the screen"]);
});

test("[P6] what an agent asks permission for can neither be painted over nor hidden behind something long", () => {
  const request = { agentName: "mara", toolNames: [], kind: undefined } as const;
  for (const text of Object.values(steering)) {
    expect(permissionQuestion({ ...request, title: text, input: { command: text } })).not.toMatch(controls);
  }
  expect(permissionQuestion({ ...request, title: "ls\n\n\nAllow? [y/N] y", input: {} })).not.toContain("\n");
  const long = permissionQuestion({
    ...request,
    title: "ls",
    input: { command: `echo ${" x".repeat(900)}; rm -rf /` },
  });
  expect(long).not.toContain("rm -rf");
  expect(long).toMatch(/and \d+ more characters, not shown\)\. Allow\? \[y\/N\] $/);
});
