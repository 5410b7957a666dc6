import { type ErrorCode, GalleyError, type Problem, throwOnErrors } from "@galley/engine";
import { problemsOf } from "@galley/engine/schemas";
import type * as z from "zod";

/** The value as the schema reads it; throws with everything that is wrong, and where. */
export function parseAs<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  path: string,
  code: ErrorCode = "BadRequest",
): z.output<Schema> {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  throwOnErrors(problemsIn(schema, error, code, path));
  throw new GalleyError(code, `${path === "" ? "The value" : path} is not as it should be.`, { path });
}

/** Everything that is wrong with a value, each with its path and a hint from the schema: which fields there are, or what a field is for [T3]. */
function problemsIn(schema: z.ZodType, { issues }: z.ZodError, code: ErrorCode, base = ""): Problem[] {
  return problemsOf(issues, code, base, "error").map((problem) => {
    const hint = hintAt(schema, keysOf((problem.path ?? "").slice(base.length)));
    return hint === undefined ? problem : { ...problem, hint };
  });
}

const segment = /\.?([A-Za-z_$][\w$]*)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/gu;

function keysOf(path: string): readonly string[] {
  return [...path.matchAll(segment)].map(([, name, index, quoted]) =>
    quoted === undefined ? (name ?? index ?? "") : (JSON.parse(quoted) as string),
  );
}

/** As much of a schema's definition as it takes to walk through it. */
interface Definition {
  readonly type: string;
  readonly innerType?: z.ZodType;
  readonly in?: z.ZodType;
  readonly getter?: () => z.ZodType;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly element?: z.ZodType;
  readonly valueType?: z.ZodType;
  readonly options?: readonly z.ZodType[];
}

function definitionOf(schema: z.ZodType): Definition {
  return schema.def;
}

/** The schemas that a value may follow there: without what makes it optional, a union as each of its branches. */
function branchesOf(schema: z.ZodType): readonly z.ZodType[] {
  const { innerType, in: input, getter, options } = definitionOf(schema);
  const inner = innerType ?? input ?? getter?.();
  if (inner) return branchesOf(inner);
  return options ? options.flatMap(branchesOf) : [schema];
}

/** From the innermost schema on the way that says something: what it is for, or which fields it has. */
function hintAt(schema: z.ZodType, keys: readonly string[]): string | undefined {
  let at: readonly z.ZodType[] = [schema];
  let hint = spokenBy(at);
  for (const key of keys) {
    const around = at.flatMap(branchesOf).map(definitionOf);
    at = around.flatMap(({ shape, element, valueType }) => (shape ? own(shape, key) : (element ?? valueType)) ?? []);
    // A field that there is not: those that there are.
    if (at.length === 0)
      return settingHint(around, key) ?? listed(around.flatMap(({ shape }) => Object.keys(shape ?? {}))) ?? hint;
    hint = spokenBy(at) ?? listed(around.flatMap(({ shape }) => Object.keys(shape ?? {}))) ?? hint;
  }
  return hint;
}

/** Of a context setting that stands beside `context` instead of in it [T3]. */
function settingHint(around: readonly Definition[], key: string): string | undefined {
  const contexts = around.flatMap(({ shape }) => (shape && own(shape, "context")) ?? []).flatMap(branchesOf);
  const isSetting = contexts.some((context) => own(definitionOf(context).shape ?? {}, key) !== undefined);
  return isSetting ? `It is a context setting: write {"context": {${JSON.stringify(key)}: …}}.` : undefined;
}

/** A field of a shape; `constructor` is none, although every object has one. */
function own(shape: Readonly<Record<string, z.ZodType>>, key: string): z.ZodType | undefined {
  return Object.hasOwn(shape, key) ? shape[key] : undefined;
}

function spokenBy(schemas: readonly z.ZodType[]): string | undefined {
  const inner = schemas.flatMap(branchesOf);
  const described = [...schemas, ...inner].map(({ description }) => description).find((text) => text !== undefined);
  return described ?? listed(inner.flatMap((one) => Object.keys(definitionOf(one).shape ?? {})));
}

function listed(fields: readonly string[]): string | undefined {
  return fields.length === 0 ? undefined : `There are ${[...new Set(fields)].join(", ")}.`;
}
