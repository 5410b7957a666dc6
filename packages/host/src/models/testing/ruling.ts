import type * as z from "zod";

/** Something for which a provider would refuse a request. */
export interface Ruling {
  readonly path: string;
  readonly why: string;
}

/** One provider's format: the shape, and the rules between the parts that a shape cannot say. */
export interface Judge<Schema extends z.ZodType = z.ZodType> {
  readonly schema: Schema;
  readonly rules: (body: z.output<Schema>) => readonly Ruling[];
}

/** What is wrong with a request; nothing when the provider would take it. */
export function judge<Schema extends z.ZodType>({ schema, rules }: Judge<Schema>, body: unknown): readonly Ruling[] {
  const parsed = schema.safeParse(body);
  if (parsed.success) return rules(parsed.data);
  return parsed.error.issues.map(({ path, message }) => ({ path: path.map(String).join("."), why: message }));
}

export function doubled(names: readonly string[], path: string): Ruling[] {
  return names.flatMap((name, index) =>
    names.indexOf(name) < index ? [{ path, why: `${name} stands there twice` }] : [],
  );
}

export function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
