// An MCP server on standard streams that behaves as its first argument says: good, many, endless, silent, liar.
import { createInterface } from "node:readline";
import { type McpRequest, mcpAnswer } from "./mcp-answer.ts";

const [, , mode = "good"] = process.argv;

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line) as McpRequest;
  if (request.params?.name === "die") process.exit(1);
  if (request.id === undefined || mode === "silent") continue;
  process.stdout.write(`${JSON.stringify(mcpAnswer(request, mode))}\n`);
}
