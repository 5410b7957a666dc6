import type * as z from "zod";
import { type ErrorCode, type Problem, GalleyError, throwOnErrors } from "./errors.ts";
import { problemsOf } from "./zod-problems.ts";

export interface CheckOptions {
  readonly code?: ErrorCode;
  readonly hint?: string;
  /** What has passed; for those that check it in other ways as well. */
  readonly known?: WeakSet<object>;
}

/** Throws with every problem and its path unless a value is what a public function asks for. */
export type InputCheck = (value: unknown, path: string) => void;

const usualHint = "Its type in docs/api.md says what is expected.";

/**
 * A check of what a public function is given [E1]. What has passed once is remembered, so that giving it again costs a
 * look-up. Lists are not remembered, because callers append to them: `listCheck` remembers their items.
 */
export function inputCheck(schema: z.ZodType, options: CheckOptions = {}): InputCheck {
  const { known = new WeakSet() } = options;
  return (value, path) => {
    const isObject = typeof value === "object" && value !== null;
    if (isObject && known.has(value)) return;
    const issues = issuesOf(schema, value);
    if (issues.length > 0) throwProblems(problemsOf(issues, options.code ?? "ContextInvalidInput", path), options);
    if (isObject && !Array.isArray(value)) known.add(value);
  };
}

/** What a schema finds in a value, also where looking at the value throws: a getter, a length that is not a number. */
export function issuesOf(schema: z.ZodType, value: unknown): readonly z.core.$ZodIssue[] {
  try {
    return schema.safeParse(value).error?.issues ?? [];
  } catch {
    return [{ code: "custom", path: [], message: "It cannot be read", input: undefined }];
  }
}

export function throwProblems(problems: readonly Problem[], { hint = usualHint }: CheckOptions = {}): void {
  throwOnErrors(problems.map((problem) => ({ hint, ...problem })));
}

/** A list of anything. */
export const anyListCheck: InputCheck = (value, path) => {
  if (!Array.isArray(value)) throw wrongInput(path, "a list", value);
};

/** A list of which every item passes a check. */
export function listCheck(item: InputCheck): InputCheck {
  return (value, path) => {
    anyListCheck(value, path);
    const list = value as readonly unknown[];
    let index = 0;
    try {
      for (; index < list.length; index += 1) item(list[index], path);
    } catch (error) {
      // The path is written out only for the item that fails.
      item(list[index], `${path}[${index}]`);
      throw error;
    }
  };
}

/** An object of which these fields pass their checks; fields that are undefined are absent. */
export function fieldsCheck(
  fields: Readonly<Record<string, InputCheck>>,
  required: readonly string[] = [],
): InputCheck {
  const checks = Object.entries(fields);
  return (value, path) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) throw wrongInput(path, "an object", value);
    const within = path === "" ? "" : `${path}.`;
    for (const [name, check] of checks) {
      const field = (value as Readonly<Record<string, unknown>>)[name];
      if (field !== undefined || required.includes(name)) check(field, within + name);
    }
  };
}

/** Refuses fields that are not among these: one that nothing reads is most likely misspelt. */
export function onlyFields(check: InputCheck, names: readonly string[]): InputCheck {
  return (value, path) => {
    check(value, path);
    const unknown = Object.keys(value as object).find((name) => !names.includes(name));
    if (unknown === undefined) return;
    const within = path === "" ? unknown : `${path}.${unknown}`;
    throw invalidInput(within, `Unknown field ${JSON.stringify(unknown)}.`, `There are ${names.join(", ")}.`);
  };
}

export const textCheck: InputCheck = (value, path) => {
  if (typeof value !== "string") throw wrongInput(path, "a text", value);
};

export const numberCheck: InputCheck = (value, path) => {
  if (typeof value !== "number") throw wrongInput(path, "a number", value);
};

/** A whole number from 0 upwards. */
export const countCheck: InputCheck = (value, path) => {
  if (!Number.isSafeInteger(value) || Number(value) < 0) throw wrongInput(path, "a whole number from 0 upwards", value);
};

export const flagCheck: InputCheck = (value, path) => {
  if (typeof value !== "boolean") throw wrongInput(path, "true or false", value);
};

export function oneOfCheck(values: readonly unknown[]): InputCheck {
  return (value, path) => {
    if (!values.includes(value)) throw wrongInput(path, `one of ${values.join(", ")}`, value);
  };
}

export const functionCheck: InputCheck = (value, path) => {
  if (typeof value !== "function") throw wrongInput(path, "a function", value);
};

export const mapCheck: InputCheck = (value, path) => {
  if (!(value instanceof Map)) throw wrongInput(path, "a Map", value);
};

export const iterableCheck: InputCheck = (value, path) => {
  const isIterable = typeof (value as Iterable<unknown> | undefined | null)?.[Symbol.iterator] === "function";
  if (!isIterable) throw wrongInput(path, "a list", value);
};

export const objectCheck: InputCheck = fieldsCheck({});

export const textsByNameCheck: InputCheck = (value, path) => {
  objectCheck(value, path);
  for (const [name, text] of Object.entries(value as object)) textCheck(text, `${path}.${name}`);
};

/** As JSON, which is empty for nothing; what JSON cannot hold (circles, big integers) is refused with its path. */
export function jsonText(value: unknown, path: string): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch (cause) {
    const hint = "Check it for circles and for values that JSON does not have.";
    throw new GalleyError("ContextInvalidInput", `${path} cannot be written as JSON.`, { path, hint, cause });
  }
}

/** Passes what is undefined as well. */
export function optional(check: InputCheck): InputCheck {
  return (value, path) => {
    if (value !== undefined) check(value, path);
  };
}

export function wrongInput(path: string, wanted: string, value: unknown, options: CheckOptions = {}): GalleyError {
  const { code = "ContextInvalidInput", hint = usualHint } = options;
  return new GalleyError(code, `${path || "The input"} must be ${wanted} and is ${describeValue(value)}.`, {
    path,
    hint,
  });
}

/** An error about an input, with what to do about it. */
export function invalidInput(path: string, message: string, hint: string): GalleyError {
  return new GalleyError("ContextInvalidInput", message, { path, hint });
}

/** A value in a sentence; never throws, whatever it is. */
export function describeValue(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "a list";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/**
 * For functions that a turn has no time to check: they run, and only when that fails is what they were given looked at, to
 * say what is wrong with it [E1]. An error that no check explains is ours, and comes back as it is.
 */
export function explain(error: unknown, check: () => void): unknown {
  if (!(error instanceof GalleyError)) check();
  return error;
}
