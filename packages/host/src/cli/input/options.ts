import { GalleyError, type JsonValue } from "@galley/engine";
import { type Command, InvalidArgumentError, Option } from "commander";

/** The data folder where no flag names one. An empty variable names none: it would mean the folder that one stands in. */
export function usualDataFolder(): string {
  return process.env["GALLEY_DATA"] || ".ship";
}

/** `--data`, which every command about a data folder has, with the same default everywhere. */
export function dataOption(description = "the data folder"): Option {
  return new Option("--data <folder>", description).default(usualDataFolder(), "GALLEY_DATA, else .ship");
}

/** Which data folder is meant, of commands that read it themselves, and whether they print JSON. */
export interface DataFlags {
  readonly data: string;
  readonly json?: boolean;
}

/** `--data` and `--json`. */
export function addDataFlags(command: Command): Command {
  return command.addOption(dataOption()).option("--json", "print one JSON document");
}

/** Which data folder is meant, and how its daemon is known. */
export interface FolderFlags {
  readonly data: string;
  readonly token?: string | undefined;
}

/** `--token`, for commands that ask the daemon of the data folder where one runs. */
export function tokenOption(): Option {
  return new Option("--token <token>", "the daemon's token, where your state folder cannot be read").env(
    "GALLEY_TOKEN",
  );
}

/** `--data` and `--token`. */
export function addFolderFlags(command: Command): Command {
  return command.addOption(dataOption()).addOption(tokenOption());
}

/** The same for a command that prints JSON if asked to. */
export interface PrintFlags extends FolderFlags {
  readonly json?: boolean;
}

/** `--data`, `--token` and `--json`. */
export function addPrintFlags(command: Command, json = "print one JSON document"): Command {
  return addFolderFlags(command).option("--json", json);
}

/** What is deleted for good is named twice. */
export function requireConfirmation(given: string | undefined, name: string, what: string): void {
  if (given === name) return;
  throw new GalleyError("BadUsage", `This deletes ${what}; nothing was deleted yet.`, {
    hint: `To confirm, add --confirm ${JSON.stringify(name)}`,
  });
}

/** `name=value`, as an option takes it. */
export function splitPair(pair: string, form: string): readonly [string, string] {
  const at = pair.indexOf("=");
  if (at > 0) return [pair.slice(0, at), pair.slice(at + 1)];
  throw new GalleyError("BadUsage", `${JSON.stringify(pair)} gives no value.`, { hint: `Write ${form}.` });
}

/** JSON where it is some, else the text. */
export function jsonOrText(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}

/** Reads an option that is a whole number of a least size. */
export function wholeNumberFrom(min: number): (text: string) => number {
  return (text) => {
    const value = Number(text.replaceAll("_", ""));
    if (text.trim() === "" || !Number.isSafeInteger(value))
      throw new InvalidArgumentError("It must be a whole number.");
    if (value < min) throw new InvalidArgumentError(`It must be a whole number from ${min} upwards.`);
    return value;
  };
}

/** Reads an option that is a number of tokens: 32000, 32_000 or 32k [V4]. */
export function tokensFrom(min: number): (text: string) => number {
  const read = wholeNumberFrom(min);
  return (text) => {
    const [, thousands] = /^(\d+(?:\.\d+)?)k$/iu.exec(text.trim()) ?? [];
    return read(thousands === undefined ? text : String(Math.round(Number(thousands) * 1000)));
  };
}

/** For options that may be given several times. */
export function collected(text: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), text];
}
