import { expect, test } from "vitest";
import * as z from "zod";
import { CanvasContextProvider } from "../canvas/canvas-tools.ts";
import { SessionContextInjector } from "../session-context-injector.ts";
import { SessionTokenStore } from "./session-token-store.ts";
import type { ActantToolDefinition } from "../../config/providers/tool-definition.ts";
import { tokenVariable, toolInstructions } from "./tool-instructions.ts";

const token = "0123456789abcdef".repeat(4);

function withParameters(parameters: Readonly<Record<string, unknown>>): ActantToolDefinition {
  return { name: "t", description: "Does it.", parameters, rpcMethod: "t", scope: "all" };
}

const usage = (parameters: Readonly<Record<string, unknown>>): string | undefined =>
  /`(t\(.*\))`/.exec(toolInstructions([withParameters(parameters)], token, "prompt"))?.[1];

test.each<[string, Readonly<Record<string, unknown>>]>([
  ["t()", {}],
  ["t()", { type: "object", properties: {} }],
  ["t({ a: string, b?: integer })", z.toJSONSchema(z.object({ a: z.string(), b: z.int().optional() }))],
  ['t({ mode: "full" | "recent" })', z.toJSONSchema(z.object({ mode: z.enum(["full", "recent"]) }))],
  ["t({ ids: string[] })", z.toJSONSchema(z.object({ ids: z.array(z.string()) }))],
  ["t({ x: string | null })", z.toJSONSchema(z.object({ x: z.string().nullable() }))],
  ["t({ x: (string | number)[] })", z.toJSONSchema(z.object({ x: z.array(z.union([z.string(), z.number()])) }))],
  [
    "t({ at: { line: integer, column?: integer } })",
    z.toJSONSchema(z.object({ at: z.object({ line: z.int(), column: z.int().optional() }) })),
  ],
  ['t({ kind: "x" })', z.toJSONSchema(z.object({ kind: z.literal("x") }))],
  ["t({ x?: string | number })", { properties: { x: { type: ["string", "number"] } } }],
  ["t({ x?: any })", { properties: { x: true } }],
  ["t({ x?: any })", { properties: { x: {} }, required: "x" }],
])("[I6] usage line %s", (expected, schema) => {
  expect(usage(schema)).toBe(expected);
});

test("[I6] a schema that contains itself does not run away", () => {
  const schema: Record<string, unknown> = { type: "object" };
  schema["properties"] = { self: schema };
  expect(usage(schema)?.length).toBeLessThan(200);
});

test("[I6] the whole text, as an agent reads it", () => {
  const tools = new CanvasContextProvider().getTools();
  expect(toolInstructions(tools, token, "env")).toMatchInlineSnapshot(`
    "## Galley Internal Tools

    These tools belong to the platform. Call them by name; arguments with \`?\` may be left out.

    - \`actant_canvas_update({ html: string, title?: string })\`: Shows an HTML page on your canvas, in the place of what was there.
      - html: The whole page, as HTML with inline CSS; at most 512 KiB.
      - title: A short title; the last one stays if there is none.
      Good for progress, tables and charts. Scripts do not run and nothing is loaded from the network.
    - \`actant_canvas_clear()\`: Empties your canvas.

    Session token: sent for you with every call, or in the variable \`GALLEY_SESSION_TOKEN\`.
    The token says who you are, and ends with this session. Give it to the platform's tools only; never print it, store it or pass it on."
  `);
});

test.each(["prompt", "env"] as const)(
  "[I6] with delivery %s the text holds the token, or only its name",
  async (tokenDelivery) => {
    const injector = new SessionContextInjector({ tokenDelivery });
    injector.register(new CanvasContextProvider());
    injector.setTokenStore(new SessionTokenStore());
    const meta = {
      name: "m",
      archetype: "service",
      backendType: "x",
      workspacePolicy: "ephemeral",
      launchMode: "direct",
    } as const;
    const context = await injector.prepare("m", meta);
    const all = context.systemContextAdditions.join("\n");
    expect(all.includes(context.token)).toBe(tokenDelivery === "prompt");
    expect(all.includes(tokenVariable)).toBe(tokenDelivery === "env");
    const other = await injector.prepare("m", meta, "s", { tokenDelivery: "prompt" });
    expect(other.systemContextAdditions.at(-1)).toContain(other.token);
  },
);

test.each([
  ["no tools", "repo", true],
  ["no token store", "service", false],
] as const)("[I6] %s: no instructions", async (_, archetype, hasStore) => {
  const injector = new SessionContextInjector();
  injector.register(new CanvasContextProvider());
  if (hasStore) injector.setTokenStore(new SessionTokenStore());
  const meta = { name: "m", archetype, backendType: "x", workspacePolicy: "ephemeral", launchMode: "direct" } as const;
  const context = await injector.prepare("m", meta);
  expect(context.systemContextAdditions.join("\n")).not.toContain("Internal Tools");
  expect(context.token === "").toBe(!hasStore);
});
