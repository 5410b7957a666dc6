import { GalleyError, redactSecrets } from "@galley/engine";
import type { RouteArguments } from "../../api/index.ts";
import type { SettingInForce } from "../../api/context-settings.ts";
import { lookAt } from "../../turn/run/preview-turn.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { BuildDocument } from "./build-document.ts";
import { type BuildFlags, presetNamed, readSecrets } from "./build-input.ts";
import { exists } from "../../disk/data-files.ts";
import { storeFile } from "../../disk/store-files.ts";
import type { TurnPlace } from "../../turn/services/turn-types.ts";
import { connect, withGalley, withRoutes } from "./connect.ts";
import { usualDataFolder } from "./options.ts";
import { isFileLike, isFileName, noPlaceError, wholePlace, withKnownChat } from "./place-names.ts";
import { readSettingsFlags } from "./settings-flags.ts";

type Question = RouteArguments<"turns.look">["body"];

/** The next call of a chat as a document, with the settings in force. */
export interface NextCallDocument extends BuildDocument {
  readonly model: string;
  readonly settings: readonly SettingInForce[];
}

/**
 * What the next call of a chat would send, by the account of that call [T14]: the chat's settings, preset, tools and calibration,
 * and what the flags say above them. Keeps nothing.
 */
export async function readNextCall(place: TurnPlace, flags: BuildFlags, terminal: Terminal): Promise<NextCallDocument> {
  const { data = usualDataFolder() } = flags;
  const other = (["tools", "reply"] as const).find((name) => flags[name] !== undefined);
  if (other !== undefined) {
    throw new GalleyError("BadUsage", `A place and --${other} exclude each other.`, {
      hint:
        other === "tools"
          ? "A place is built with the tools that its next call has."
          : "The next call of a place is a usual reply; --reply is for session files.",
    });
  }
  const secrets = readSecrets(flags.secret ?? []);
  if (place.chat !== undefined) await withKnownChat(data, place.chat, () => undefined);
  const looked = await look(data, await questionOf(place, flags, terminal));
  const { problems, room, budget: tokens, preset: _, ...built } = looked;
  const budget =
    flags.budget === undefined
      ? { from: "model" as const, tokens, reserve: room.reserve, model: built.model }
      : { from: "flag" as const, tokens };
  return redactSecrets({ ...built, budget, warnings: problems }, secrets);
}

/** The place whose next call the flags are about; nothing where they name a file, or no history at all. */
export async function placeOfFlags(flags: BuildFlags): Promise<TurnPlace | undefined> {
  const { chat, session, append, data = usualDataFolder() } = flags;
  if (chat !== undefined && (session !== undefined || append)) {
    const hint = append ? "galley chat add writes to a chat." : "Take the history from one of them.";
    throw new GalleyError("BadUsage", `--chat and ${append ? "--append" : "--session"} exclude each other.`, { hint });
  }
  if (chat !== undefined) return { chat };
  if (append && session !== undefined && !isFileLike(session)) {
    const hint = "Name a file, or let a turn write: galley run.";
    throw new GalleyError("BadUsage", `--append writes to a session file, and ${session} is a place.`, { hint });
  }
  if (session === undefined || session === "-" || append || (await isFileName(session))) return undefined;
  const place = wholePlace(session);
  if (place.kind === "chat") return { chat: place.name };
  if (place.kind === "agent") return { agent: place.name };
  if (place.kind === "task") {
    const hint = `galley explain ${session} shows what its newest call has read.`;
    throw new GalleyError("BadUsage", `The next call of a task cannot be built from outside.`, { path: session, hint });
  }
  const id = place.sessionId;
  if (
    exists(storeFile(data)) &&
    (await withRoutes({ data }, (ask) => ask("sessions.list", {}))).sessions.some((one) => one.id === id)
  )
    return { session: id };
  throw noPlaceError(session, data);
}

async function look(data: string, body: Question): Promise<Awaited<ReturnType<typeof lookAt>>> {
  const daemon = await connect({ data });
  if (daemon) return daemon.call("turns.look", { body });
  return withGalley({ data }, (galley) => lookAt(galley, body));
}

async function questionOf(place: TurnPlace, flags: BuildFlags, terminal: Terminal): Promise<Question> {
  const { model, input, now } = flags;
  return {
    ...place,
    model,
    ...(input === undefined ? {} : { input: input === "-" ? await terminal.readStdin() : input }),
    ...(flags.preset === undefined ? {} : { preset: await presetNamed(flags.preset, terminal) }),
    ...(now === undefined ? {} : { now: Date.parse(now) }),
    context: await readSettingsFlags(flags, terminal),
  };
}
