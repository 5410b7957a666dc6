import { invalidInput } from "../../model/check/input.ts";

/** Finds the value of `{{name}}`, or nothing when there is none. */
export type VariableLookup = (name: string) => string | undefined;

export interface VariableSources {
  /** Earlier maps win over later ones. */
  readonly variables: readonly (Readonly<Record<string, string>> | undefined)[];
  readonly model?: string | undefined;
  /** ISO 8601 with an offset: the engine has no clock [C10]. */
  readonly now?: string | undefined;
  /** Called when somebody asks for the date or the time: what is made of it holds for this `now` only. */
  readonly onTime?: (() => void) | undefined;
}

const timestamp =
  /^(\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))T((?:[01]\d|2[0-3]):[0-5]\d)(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/;

/** Names are found as they are written, else in lower case, so that `{{User}}` is `{{user}}`. */
export function variableLookup({ variables, model, now, onTime }: VariableSources): VariableLookup {
  const values = new Map<string, string>();
  for (const own of variables) {
    for (const [name, value] of Object.entries(own ?? {})) if (!values.has(name)) values.set(name, value);
  }
  if (model !== undefined && !values.has("model")) values.set("model", model);
  const times = dateAndTime(now);
  const find = (name: string): string | undefined => {
    const value = values.get(name);
    if (value !== undefined || (name !== "date" && name !== "time")) return value;
    onTime?.();
    return times[name];
  };
  return (name) => find(name) ?? find(name.toLowerCase());
}

/** Whether a text can be the time of a build. */
export function isTime(now: string | undefined): boolean {
  return now === undefined || timestamp.test(now);
}

function dateAndTime(now: string | undefined): { readonly date?: string; readonly time?: string } {
  if (now === undefined) return {};
  const match = timestamp.exec(now);
  if (!match) {
    const hint = "Write it like 2026-11-15T21:30:00+08:00.";
    throw invalidInput("now", `now is not a time with an offset: ${JSON.stringify(now)}.`, hint);
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
