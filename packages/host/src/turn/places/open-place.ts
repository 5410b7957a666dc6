import type { Problem } from "@galley/engine";
import type { Tool, ToolContext } from "../../tools/tool.ts";
import { openChatPlace } from "./chat-place.ts";
import type { Services } from "../services/services.ts";
import { loopTools } from "../tools/loop-tool.ts";
import { type PlaceTools, toolsFor } from "../tools/tools-for.ts";
import { openSessionPlace } from "./session-place.ts";
import type { OpenPlace, PlaceName, PlaceRequest } from "./turn-place.ts";

export interface OpenedPlace {
  readonly place: OpenPlace;
  readonly problems: readonly Problem[];
}

/** Opens the place of a turn with the tools that are served there [T2]. */
export async function openPlace(
  parts: Services,
  { kind, name, session }: PlaceName,
  request: PlaceRequest,
  model: string,
): Promise<OpenedPlace> {
  const calls: Pick<ToolContext, "caller" | "place" | "model"> = {
    caller: `${kind}:${name}`,
    place: { kind, name },
    model,
  };
  const find = (chat?: readonly Tool[]): Promise<PlaceTools> => toolsFor(parts, calls.place, { chat });
  if (kind === "chat") {
    let problems: readonly Problem[] = [];
    const place = await openChatPlace(parts, name, request, async (own) => {
      const found = await find(own);
      ({ problems } = found);
      return loopTools(found.tools, calls);
    });
    return { place, problems };
  }
  const { tools, problems, systemPrompt } = await find();
  const given = { tools: loopTools(tools, calls), ...(systemPrompt === undefined ? {} : { systemPrompt }) };
  return { place: await openSessionPlace(parts, session, request, given), problems };
}
