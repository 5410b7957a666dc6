import { describe, expect, test } from "vitest";
import * as z from "zod";
import { defineTool } from "./define-tool.ts";
import { outputOf, runTool, valueOf } from "./run-tool.ts";
import { specOf } from "./tool-specs.ts";
import type { ToolContent, ToolContext } from "./tool.ts";

const context: ToolContext = {
  caller: "chat:one",
  place: { kind: "chat", name: "one" },
  callId: "1",
  signal: new AbortController().signal,
};

describe("[T2] one way to call a tool", () => {
  const shift = defineTool({
    name: "shift",
    description: "Shifts.",
    inputSchema: z.strictObject({
      by: z.int().transform((by) => by + 1),
      where: z.object({ x: z.string() }).optional(),
    }),
    execute: ({ by }, { caller }) => ({ by, caller, gone: undefined }),
  });

  test("the schema is applied once, and plain data becomes the result", async () => {
    expect(await runTool(shift, { by: 1 }, context)).toEqual({
      kind: "result",
      content: [{ type: "json", value: { by: 2, caller: "chat:one" } }],
    });
  });

  test.each([
    { input: { by: "x" }, paths: ["by"] },
    { input: { by: 1, to: 2 }, paths: ["to"] },
    { input: { by: "x", where: { x: 1 } }, paths: ["by", "where.x"] },
    { input: undefined, paths: ["by"] },
  ])("$input is refused at $paths", async ({ input, paths }) => {
    const refused = await runTool(shift, input, context).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "ToolInputInvalid", path: paths[0] });
    expect((refused as { problems: { path: string }[] }).problems.map(({ path }) => path)).toEqual(paths);
  });

  test.each([
    { input: {}, paths: [""], what: "It must have required property 'by'." },
    { input: { by: "x", where: { x: 1 } }, paths: ["by", "where.x"], what: "by: It must be integer." },
    { input: { by: 1, to: 2 }, paths: [""], what: "It must NOT have additional properties." },
    { input: "text", paths: [""], what: "It must be object." },
  ])("a JSON Schema is enforced as well: $input is refused at $paths", async ({ input, paths, what }) => {
    let calls = 0;
    const described = defineTool({
      name: "described",
      description: "",
      inputSchema: {
        type: "object",
        properties: { by: { type: "integer" }, where: { type: "object", properties: { x: { type: "string" } } } },
        required: ["by"],
        additionalProperties: false,
      },
      execute: () => (calls += 1),
    });
    const refused = await runTool(described, input, context).catch((error: unknown) => error);
    expect(refused).toMatchObject({
      code: "ToolInputInvalid",
      path: paths[0],
      problems: [{ message: what }, ...paths.slice(1).map(() => ({}))],
    });
    expect((refused as { problems: { path: string }[] }).problems.map(({ path }) => path)).toEqual(paths);
    expect(calls).toBe(0);
    expect(await runTool(described, { by: 1 }, context)).toMatchObject({ content: [{ value: 1 }] });
  });

  test("a JSON Schema that is none is the tool's own mistake, and says so", async () => {
    const odd = defineTool({ name: "odd", description: "", inputSchema: { type: "nonsense" }, execute: () => 1 });
    await expect(runTool(odd, {}, context)).rejects.toMatchObject({ code: "ToolFailed", path: "odd" });
  });

  test("data that looks like an outcome is data", async () => {
    const odd = defineTool({
      name: "odd",
      description: "",
      inputSchema: {},
      execute: () => ({ kind: "parked", suspended: true }),
    });
    const outcome = await runTool(odd, {}, context);
    expect(outcome).toMatchObject({ kind: "result", content: [{ value: { kind: "parked", suspended: true } }] });
  });

  test("a tool that nothing can run says so", async () => {
    const { execute: _, ...told } = shift;
    await expect(runTool(told, {}, context)).rejects.toMatchObject({ code: "ToolFailed", path: "shift" });
  });
});

test("[T2] the same words are the same spec, whichever object says them", () => {
  const schema = z.object({ text: z.string() });
  const tool = (description: string) =>
    defineTool({ name: "say", description, usage: "Softly.", inputSchema: schema, execute: () => null });
  expect(specOf(tool("Says."))).toBe(specOf(tool("Says.")));
  expect(specOf(tool("Says."))).not.toBe(specOf(tool("Shouts.")));
  expect(specOf(tool("Says."))).toEqual({
    name: "say",
    description: "Says.\nSoftly.",
    inputSchema: {
      type: "object",
      properties: { text: { type: "string" } },
      required: ["text"],
    },
  });
});

test("[T2] a model reads data, text, pictures and files", () => {
  const picture = { type: "media", data: "aGk=", mediaType: "image/png" } as const;
  const file = { type: "media", data: "aGk=", mediaType: "text/csv", filename: "a.csv" } as const;
  const mixed: readonly ToolContent[] = [{ type: "json", value: 1 }, { type: "text", text: "x" }, picture, file];
  expect(outputOf([{ type: "json", value: { a: 1 } }])).toEqual({ type: "json", value: { a: 1 } });
  expect(outputOf([{ type: "text", text: "x" }])).toEqual({ type: "text", value: "x" });
  expect(outputOf(mixed)).toEqual({
    type: "content",
    value: [
      { type: "text", text: "1" },
      { type: "text", text: "x" },
      { type: "image-data", data: "aGk=", mediaType: "image/png" },
      { type: "file-data", data: "aGk=", mediaType: "text/csv", filename: "a.csv" },
    ],
  });
  expect(valueOf([{ type: "text", text: "x" }])).toBe("x");
  expect(valueOf(mixed)).toEqual(mixed);
});
