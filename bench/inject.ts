import { createHash } from "node:crypto";
import {
  type ActantToolDefinition,
  type AgentInstanceMeta,
  type ContextProvider,
  HookEventBus,
  SessionContextInjector,
  SessionTokenStore,
} from "galley/inject";
import type { BenchReport } from "./claim.ts";
import { compare, inMs } from "./measure.ts";

const providerCount = 20;
const toolsPerProvider = 10;
const textBytes = 1_000_000;

const meta: AgentInstanceMeta = {
  name: "mara",
  archetype: "employee",
  backendType: "claude-code",
  workspacePolicy: "persistent",
  launchMode: "managed",
};

/** `prepare` beside the least that anybody could do with the same data: join it and hash it. */
export async function injectReport(): Promise<BenchReport> {
  const providers = Array.from({ length: providerCount }, (_, index) => providerOf(index));
  const injector = new SessionContextInjector();
  injector.setTokenStore(new SessionTokenStore());
  injector.setEventBus(new HookEventBus());
  for (const provider of providers) injector.register(provider);
  const { mcpServers, tools, systemContextAdditions } = await injector.prepare("mara", meta, "s");
  if (tools.length !== providerCount * toolsPerProvider || mcpServers.length !== providerCount) {
    throw new Error("The session did not get everything.");
  }
  const texts = systemContextAdditions.slice(0, providerCount);
  const joinAndHash = (): string => {
    const all = texts.join("\n") + JSON.stringify(tools) + JSON.stringify(mcpServers);
    return createHash("sha256").update(all).digest("hex");
  };
  const { peer, own, ratio } = await compare(joinAndHash, () => injector.prepare("mara", meta, "s"));
  return {
    notes: [
      `${providerCount} providers, ${tools.length} tools, ${mcpServers.length} servers, ${texts.join("").length.toLocaleString("en-US")} characters of system text. prepare asks all of them, checks what they give, merges, makes a token, writes the tool instructions and tells both events.`,
      "Peer: the same texts joined, tools and servers as JSON behind them, and the SHA-256 of it all by node:crypto.",
    ],
    claims: [
      {
        claim: "prepare, 20 providers, 200 tools, 1 MB of text",
        against: "concatenating and hashing the same data",
        peer: inMs(peer),
        own: inMs(own),
        ratio,
        limit: 2,
      },
    ],
  };
}

function providerOf(index: number): ContextProvider {
  const line = `Provider ${index} has this to say about the work at hand, and says it at some length.\n`;
  const text = line.repeat(Math.ceil(textBytes / providerCount / line.length));
  const tools = Array.from({ length: toolsPerProvider }, (_, tool) => toolOf(`tool_${index}_${tool}`));
  const servers = [{ name: `server${index}`, command: "npx", args: ["-y", `server-${index}`], env: [] }];
  return {
    name: `provider${index}`,
    getMcpServers: () => servers,
    getTools: async () => tools,
    getSystemContext: () => text,
  };
}

function toolOf(name: string): ActantToolDefinition {
  return {
    name,
    description: `Does what ${name} is for, and tells what came of it.`,
    parameters: {
      type: "object",
      properties: {
        query: { type: "string", description: "What to look for." },
        limit: { type: "integer", description: "How many at most." },
        mode: { enum: ["full", "recent", "summary"] },
      },
      required: ["query"],
    },
    rpcMethod: `bench.${name}`,
    scope: "all",
  };
}
