import { InvalidArgumentError } from "commander";

function wholeNumber(text: string): number {
  const value = Number(text.replaceAll("_", ""));
  if (text.trim() === "" || !Number.isSafeInteger(value)) throw new InvalidArgumentError("It must be a whole number.");
  return value;
}

/** Reads an option that is a whole number of a least size. */
export function wholeNumberFrom(least: number): (text: string) => number {
  return (text) => {
    const value = wholeNumber(text);
    if (value < least) throw new InvalidArgumentError(`It must be a whole number from ${least} upwards.`);
    return value;
  };
}
