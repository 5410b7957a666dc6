import { Redactor } from "./redactor.ts";
import { readArguments } from "./secret-parts.ts";

/** As it is written, variables not put in, without keys and without values of the environment that it repeats [P6]. */
export function commandLine(words: readonly string[], env: Readonly<Record<string, string>>): string {
  const redactor = new Redactor();
  redactor.addAll(Object.entries(env).map(([name, value]) => ({ name, value })));
  return readArguments(redactor.redact(words))
    .map(({ shown }) => shown)
    .join(" ");
}
