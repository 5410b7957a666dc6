import type { Problem } from "@galley/engine";
import type { Services } from "../services/services.ts";
import { toolsFor } from "../tools/tools-for.ts";
import { openChatPlace } from "./chat-place.ts";
import { openSessionPlace } from "./session-place.ts";
import type { AnsweredLog, OpenPlace, PlaceName, PlaceRequest } from "./turn-place.ts";

/** Opens the place of a turn with the tools that are served there [T2]. */
export async function openPlace(
  parts: Services,
  placeName: PlaceName,
  request: PlaceRequest,
  model: string,
): Promise<{ readonly place: OpenPlace; readonly problems: readonly Problem[] }> {
  const { kind, name } = placeName;
  const caller = { caller: `${kind}:${name}`, place: { kind, name }, model } as const;
  const chat = kind === "chat" ? await openChatPlace(parts, name, request) : undefined;
  const { tools, problems, systemPrompt } = await toolsFor(parts, caller.place, { chat: chat?.chatTools });
  // Behind the tools: a session begins its branch when it is opened, and an agent whose tools fail must leave none.
  const log = chat ?? (await openLog(parts, placeName, request));
  return { place: { ...log, caller, tools, systemPrompt }, problems };
}

/** The place of a turn that is only written to. */
export function openLog(
  parts: Services,
  { kind, name, session }: PlaceName,
  request: PlaceRequest,
): Promise<AnsweredLog> {
  return kind === "chat" ? openChatPlace(parts, name, request) : openSessionPlace(parts, session, request);
}
