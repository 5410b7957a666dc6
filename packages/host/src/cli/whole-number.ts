import { InvalidArgumentError } from "commander";

/** Reads an option that is a whole number. */
export function wholeNumber(text: string): number {
  const value = Number(text.replaceAll("_", ""));
  if (text.trim() === "" || !Number.isSafeInteger(value)) throw new InvalidArgumentError("It must be a whole number.");
  return value;
}
