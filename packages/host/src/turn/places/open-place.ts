import type { Problem } from "@galley/engine";
import { openAgentPlace } from "./agent-place.ts";
import { openChatPlace } from "./chat-place.ts";
import type { Services } from "../services/services.ts";
import { handoverLoopTools } from "../tools/handover-loop-tools.ts";
import type { LoopTool } from "../tools/loop-tool.ts";
import { userTools } from "../tools/user-tools.ts";
import { openSessionPlace } from "./session-place.ts";
import type { OpenPlace, PlaceName, PlaceRequest } from "./turn-place.ts";

export interface OpenedPlace {
  readonly place: OpenPlace;
  readonly problems: readonly Problem[];
}

/** Opens the place of a turn with all the tools that are served there: its own, those of handover, and those brought along. */
export async function openPlace(
  parts: Services,
  { kind, name, session }: PlaceName,
  request: PlaceRequest,
  model: string,
): Promise<OpenedPlace> {
  const brought = userTools(parts.tools, { [kind]: name });
  const shared = [...(await handoverLoopTools(parts, `${kind}:${name}`, model)), ...brought];
  switch (kind) {
    case "chat": {
      const place = await openChatPlace(parts, name, request);
      return { place: { ...place, tools: firstOfName([...place.tools, ...shared]) }, problems: [] };
    }
    case "session": {
      const tools = firstOfName(shared);
      return { place: await openSessionPlace(parts, session, request, { tools }), problems: [] };
    }
    case "agent":
      return openAgentPlace(parts, name, request, firstOfName(shared));
  }
}

/** As for sessions of agents, the first of a name wins [I3]. */
function firstOfName(tools: readonly LoopTool[]): readonly LoopTool[] {
  return tools.filter((tool, index) => tools.findIndex(({ spec }) => spec.name === tool.spec.name) === index);
}
