import { GalleyError } from "../../model/errors.ts";

/** Finds the value of `{{name}}`, or nothing when there is none. */
export type VariableLookup = (name: string) => string | undefined;

export interface VariableSources {
  /** Earlier maps win over later ones. */
  readonly variables: readonly (Readonly<Record<string, string>> | undefined)[];
  readonly model?: string | undefined;
  /** ISO 8601 with an offset: the engine has no clock [C10]. */
  readonly now?: string | undefined;
}

const timestamp =
  /^(\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))T((?:[01]\d|2[0-3]):[0-5]\d)(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/;

/** Names are found as they are written, else in lower case, so that `{{User}}` is `{{user}}`. */
export function variableLookup({ variables, model, now }: VariableSources): VariableLookup {
  const values = new Map<string, string>();
  for (const own of variables) {
    for (const [name, value] of Object.entries(own ?? {})) if (!values.has(name)) values.set(name, value);
  }
  const builtIn: Record<string, string | undefined> = { model, ...dateAndTime(now) };
  for (const [name, value] of Object.entries(builtIn)) {
    if (value !== undefined && !values.has(name)) values.set(name, value);
  }
  return (name) => values.get(name) ?? values.get(name.toLowerCase());
}

function dateAndTime(now: string | undefined): { date?: string; time?: string } {
  if (now === undefined) return {};
  const match = timestamp.exec(now);
  if (!match) {
    throw new GalleyError("ContextInvalidInput", `now is not a time with an offset: ${JSON.stringify(now)}.`, {
      path: "now",
      hint: "Write it like 2026-11-15T21:30:00+08:00.",
    });
  }
  return { date: match[1], time: match[2] };
}

/**
 * Replaces every `{{name}}` that has a value. A value is put in as it is: what looks like a placeholder inside it is not
 * replaced again, so that no value can grow without end. Unknown names stay as they are and are handed to `onUnknown`.
 */
export function expandPlaceholders(text: string, lookup: VariableLookup, onUnknown: (name: string) => void): string {
  if (!text.includes("{{")) return text;
  return text.replace(/\{\{([^{}]*)\}\}/g, (whole, inner: string) => {
    const name = inner.trim();
    const value = lookup(name);
    if (value === undefined) onUnknown(name);
    return value ?? whole;
  });
}
