import { type ChatTool, chatTools } from "../../chat/chat-tools.ts";
import { openChat } from "../../chat/open-chat.ts";
import type { Redactor } from "../../secrets/redactor.ts";
import type { HostTool, ToolCaller } from "./host-tool.ts";

/** The chat that an agent's working contexts belong to. */
function chatKeyOf({ agent }: Pick<ToolCaller, "agent">): string {
  return `agent:${agent}`;
}

/** The names of the tools as JSON-RPC methods. */
const rpcMethods: Readonly<Record<string, string>> = {
  chat_context_new: "chat.context.new",
  chat_context_load: "chat.context.load",
  chat_context_list: "chat.context.list",
  chat_context_clear_active: "chat.context.clear",
};

/** The tools with which an agent changes the working context of its own chat [W4]; each call opens the chat anew. */
export async function chatHostTools(dataFolder: string, redactor: Redactor): Promise<readonly HostTool[]> {
  const withTools = async <Result>(
    caller: Pick<ToolCaller, "agent">,
    work: (tools: readonly ChatTool[]) => Result | Promise<Result>,
  ): Promise<Result> => {
    const chat = await openChat(dataFolder, chatKeyOf(caller), { secrets: redactor.secrets() });
    try {
      return await work(chatTools(chat));
    } finally {
      await chat.close();
    }
  };
  // Opening makes nothing on the disk: the tools are asked only what they are.
  const shapes = await withTools({ agent: "" }, (tools) => tools);
  return shapes.map(({ name, description, inputSchema }) => ({
    name,
    description,
    inputSchema,
    scope: "all",
    rpcMethod: rpcMethods[name] ?? name,
    execute: (input, caller) => withTools(caller, (tools) => tools.find((tool) => tool.name === name)?.execute(input)),
  }));
}
