import { pathTo } from "../src/frame/routes.ts";
import type { Seeded } from "./seed-studio.ts";

/** A URL of every page, with something on it. */
export function everyView({
  preset,
  simplePreset,
  lorePreset,
  chat,
  session,
}: Seeded): Readonly<Record<string, string>> {
  return {
    home: pathTo("home", {}),
    compose: pathTo("compose", {}),
    "compose-advanced": pathTo("compose", { preset }),
    "compose-simple": pathTo("compose", { preset: simplePreset }),
    "compose-lorebook": pathTo("compose", { preset: lorePreset }, { view: "lorebook" }),
    inspect: pathTo("sessions", {}),
    session: pathTo("sessions", { id: session }),
    call: pathTo("call", { id: session, n: "2" }),
    lost: pathTo("lost", { id: session }),
    compare: pathTo("compare", {}),
    "compare-calls": pathTo("compare", {}, { left: `${session}#1`, right: `${session}#2` }),
    chats: pathTo("chats", {}),
    chat: pathTo("chats", { key: chat }),
    agents: pathTo("agents", {}),
    handover: pathTo("boxes", {}),
    logs: pathTo("logs", {}),
    import: pathTo("import", {}),
    settings: pathTo("settings", {}),
  };
}
