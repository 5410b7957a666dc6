import { GalleyError, type Problem } from "@galley/engine";
import { chatKeyOf } from "../../api/place-id.ts";
import { sliceEnd } from "../../limits/in-slices.ts";
import type { Services } from "../services/services.ts";
import { toolsFor } from "../tools/tools-for.ts";
import type { Tool } from "../../tools/tool.ts";
import { openChatPlace } from "./chat-place.ts";
import { openSessionPlace } from "./session-place.ts";
import { type AnsweredLog, type OpenPlace, type PlaceName, type PlaceRequest } from "./turn-place.ts";

/** Opens the place of a turn with the tools that are served there [T2]. */
export async function openPlace(
  parts: Services,
  placeName: PlaceName,
  request: PlaceRequest,
  model: string,
): Promise<{ readonly place: OpenPlace; readonly problems: readonly Problem[] }> {
  const pause = sliceEnd();
  const { kind, name } = placeName;
  const place = { kind, name } as const;
  const key = chatKeyOf(placeName);
  const chat = key === undefined ? undefined : await openChatPlace(parts, { key, session: placeName.session }, request);
  let opened: AnsweredLog | undefined = chat;
  const { tools, problems, systemPrompt } = await toolsFor(parts, place, {
    chat: chat?.chatTools,
    log: () => opened?.entries() ?? [],
    onPin: (entry) => opened?.take(entry),
    withServers: true,
    ownTools: request.ownTools,
  });
  // Behind the tools: a session begins its branch when it is opened, and an agent whose tools fail must leave none.
  const log = chat ?? (await openLog(parts, placeName, request));
  opened = log;
  // What was read may be long, and a build of it follows.
  await pause();
  const caller = { caller: `${kind}:${name}`, place, anchor: log.anchor, model };
  return { place: { ...log, caller, tools: withOwn(tools, request.tools), systemPrompt }, problems };
}

/** The tools of a place and those of one request. Of two with one name nobody could say which is meant. */
function withOwn(tools: readonly Tool[], own: readonly Tool[] = []): readonly Tool[] {
  const names = new Set(tools.map(({ name }) => name));
  for (const [index, { name }] of own.entries()) {
    if (!names.has(name)) names.add(name);
    else
      throw new GalleyError("DuplicateId", `There is a tool ${JSON.stringify(name)} here already.`, {
        path: `tools[${index}].name`,
        hint: "Give it another name.",
      });
  }
  return own.length === 0 ? tools : [...tools, ...own];
}

/** The place of a turn that is only written to. */
export function openLog(parts: Services, place: PlaceName, request: PlaceRequest): Promise<AnsweredLog> {
  const { session } = place;
  const key = chatKeyOf(place);
  return key === undefined
    ? openSessionPlace(parts, session, request)
    : openChatPlace(parts, { key, session }, request);
}
