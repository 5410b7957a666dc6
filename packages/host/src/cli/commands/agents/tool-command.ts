import { GalleyError, parseJson } from "@galley/engine";
import type { Command } from "commander";
import { onOneLine } from "../../../limits/short-text.ts";
import { urlVariable } from "../../../agents/agent-session.ts";
import { callHostTool, listHostTools } from "../../../daemon/rpc/tool-client.ts";
import { tokenVariable } from "../../../inject/session/tool-instructions.ts";
import { printResult, toJson } from "../../terminal/report.ts";
import { elastic, listText } from "../../terminal/table.ts";
import type { Terminal } from "../../terminal/terminal.ts";

interface ToolFlags {
  readonly json?: boolean;
}

/** `galley tool`: the tools of a session for programs that the agent starts; the environment says which session [I10]. */
export function defineTool(tool: Command, terminal: Terminal): void {
  tool
    .command("list")
    .description(`Lists the tools of the session. ${needs}`)
    .option("--json", "print one JSON document")
    .action(async (flags: ToolFlags) => {
      const tools = await listHostTools(sessionAddress());
      printResult(terminal, flags, { tools }, () =>
        listText(tools, terminal, undefined, {
          tool: "name",
          does: elastic(({ description }) => onOneLine(description, 300)),
        }),
      );
    });
  tool
    .command("call")
    .description(`Calls a tool of the session and prints its result as JSON. ${needs}`)
    .argument("<name>", "the tool")
    .argument("[input]", "its arguments as JSON; - reads standard input", "{}")
    .option("--json", "the output is JSON in any case")
    .action(async (name: string, input: string) => {
      const text = input === "-" ? await terminal.readStdin() : input;
      const result = await callHostTool(sessionAddress(), name, parseJson(text, { what: "input" }));
      terminal.out(toJson(result));
    });
}

const needs = `It needs ${tokenVariable} and ${urlVariable}, which every agent that Galley runs has in its environment.`;

function sessionAddress(): { readonly url: string; readonly token: string } {
  const { [tokenVariable]: token, [urlVariable]: url } = process.env;
  if (token !== undefined && url !== undefined) return { token, url };
  throw new GalleyError("BadUsage", "This command runs inside an agent's session only.", { hint: needs });
}
