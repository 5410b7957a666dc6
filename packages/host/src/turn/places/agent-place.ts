import { GalleyError, type JsonObject, type Problem } from "@galley/engine";
import { agentInjector } from "../../inject/agent-injector.ts";
import { metaOf } from "../../config/config-schema.ts";
import { agentNamed } from "../../config/load-config.ts";
import type { Services } from "../services/services.ts";
import type { LoopTool } from "../tools/loop-tool.ts";
import { openSessionPlace } from "./session-place.ts";
import type { OpenPlace, PlaceRequest } from "./turn-place.ts";

/**
 * A turn of an agent of the configuration, with a model of ours in the place of its program: the system text that its
 * sessions get, those of its tools that can be served here, and a session of its own.
 */
export async function openAgentPlace(
  parts: Services,
  name: string,
  request: PlaceRequest,
  served: readonly LoopTool[],
): Promise<{ readonly place: OpenPlace; readonly problems: readonly Problem[] }> {
  const { config, redactor, environment } = parts;
  if (!config) {
    throw new GalleyError("NotFound", `There is no configuration, and so no agent ${JSON.stringify(name)}.`, {
      path: "agent",
      hint: "Write a galley.config.json with the agent, or name a chat or a session instead.",
    });
  }
  const agent = agentNamed(config, name);
  const session = `agent:${name}`;
  const injector = agentInjector(config, agent, { redactor, environment });
  const prepared = await injector.prepare(name, metaOf(agent), session);
  const tools = prepared.tools.flatMap((tool): LoopTool[] => {
    const found = served.find(({ spec }) => spec.name === tool.name);
    const { description, parameters } = tool;
    return found ? [{ ...found, spec: { name: tool.name, description, inputSchema: parameters as JsonObject } }] : [];
  });
  const missing = prepared.tools.filter(({ name: one }) => !tools.some(({ spec }) => spec.name === one));
  const systemPrompt = prepared.systemContextAdditions.join("\n\n");
  const place = await openSessionPlace(parts, session, request, {
    tools,
    ...(systemPrompt === "" ? {} : { systemPrompt }),
  });
  return { place, problems: [...unavailable(prepared.providers), ...missing.map(notServed)] };
}

function unavailable(
  providers: readonly { readonly name: string; readonly status: string; readonly reason?: string }[],
): Problem[] {
  return providers.flatMap(({ name, status, reason = "" }) =>
    status === "ready"
      ? []
      : [{ severity: "warning", code: "ProviderFailed", message: `${name} gave nothing: ${reason}`, path: name }],
  );
}

function notServed({ name }: { readonly name: string }): Problem {
  const message = `The tool ${name} cannot be served here, so that the model is not told of it.`;
  return { severity: "warning", code: "ToolFailed", message, path: name };
}
