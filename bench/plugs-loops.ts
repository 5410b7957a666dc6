import { fileURLToPath } from "node:url";
import { type Task, startStandIn } from "../plugs/stand-in.ts";
import { installPeers } from "./install.ts";

/** An example of `plugs/`. Its packages are installed for this: the checkout compiles without them. */
interface Example {
  readonly readFiles: (task: Task) => Promise<unknown>;
}

/** What a provider saw of the loop of one framework. */
interface LoopFigures {
  readonly name: string;
  readonly cached: number;
  readonly refused: number;
  readonly overBudget: number;
  readonly largest: number;
}

const folder = fileURLToPath(new URL("../plugs/", import.meta.url));
const frameworks = {
  "ai-sdk": "AI SDK",
  langchain: "LangChain",
  mastra: "Mastra",
  "openai-agents": "OpenAI Agents SDK",
} as const;

/** The examples in the real frameworks; `plain` with a budget that nothing reaches, as without a plug. */
export async function realLoops(
  requests: number,
  budget: number,
): Promise<{ readonly plain: LoopFigures; readonly plugs: readonly LoopFigures[] }> {
  installPeers(folder, "the frameworks that the plugs are for");
  const run = async (example: keyof typeof frameworks, name: string, allowed: number): Promise<LoopFigures> => {
    const { readFiles } = (await import(`${folder}examples/${example}.ts`)) as Example;
    const server = await startStandIn({ requests, budget });
    await readFiles({ url: server.url, budget: allowed, requests });
    const { cachedShare: cached, refused, overBudget, largest } = await server.close();
    return { name, cached, refused: refused.length, overBudget, largest };
  };
  const plain = await run("ai-sdk", "without a plug", 10_000_000);
  const plugs: LoopFigures[] = [];
  for (const [example, name] of Object.entries(frameworks))
    plugs.push(await run(example as keyof typeof frameworks, `${name} with the plug`, budget));
  return { plain, plugs };
}
