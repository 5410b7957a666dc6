import { GalleyError } from "@galley/engine";
import type * as z from "zod";

/** What came in, checked; or an error that names the first thing that is wrong. */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown, what: string): z.infer<Schema> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = issue?.path.join(".") ?? "";
  const where = path === "" ? what : `${what}: ${path}`;
  throw new GalleyError("ContextInvalidInput", `${where}: ${(issue?.message ?? "").replace(/\.?$/, ".")}`, {
    path: path || what,
    hint: "Check the value against what is allowed.",
  });
}
