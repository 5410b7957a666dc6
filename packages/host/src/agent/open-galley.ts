import { join, resolve } from "node:path";
import { GalleyError } from "@galley/engine";
import { delegateAsync } from "../handover/delegate.ts";
import { openHandover } from "../handover/handover-options.ts";
import { handoverTools } from "../handover/handover-tools.ts";
import { loadConfig } from "../inject/load-config.ts";
import { Redactor } from "../inject/redactor.ts";
import { openStore } from "../store/open-store.ts";
import type { Galley, OpenGalleyOptions } from "./galley.ts";
import { galleyChats } from "./galley-chats.ts";
import { galleyEvents } from "./galley-events.ts";
import { openModels } from "./models/open-models.ts";
import { presetLibrary } from "./preset-library.ts";

export async function openGalley(options: OpenGalleyOptions = {}): Promise<Galley> {
  const data = resolve(options.data ?? ".ship");
  const project = options.project ?? "default";
  const config = typeof options.config === "string" ? await loadConfig(options.config) : undefined;
  const redactor = new Redactor();
  const models = await openModels({ ...(config ? { config } : {}), redactor });
  const store = await openStore({ data, ...(options.postgres === undefined ? {} : { postgres: options.postgres }) });
  const events = galleyEvents(Date.now);
  const presets = presetLibrary({ folder: join(data, "presets"), now: Date.now, onChange: events.emit });
  const chats = galleyChats({ data, onChange: (key) => events.emit("chat:changed", key) });
  const handoverOptions = { store };
  const person = { projectId: project, agentId: null };
  const notYet = (): never => {
    throw new GalleyError("TurnFailed", "Turns are not there yet.");
  };
  return {
    data,
    project,
    config,
    store,
    models,
    redactor,
    presets,
    chats,
    events,
    handover: {
      options: handoverOptions,
      tools: handoverTools(handoverOptions),
      person,
      delegate: ({ profile, instruction }) =>
        delegateAsync(
          { target_strategy: "new", target_ref: profile, instruction },
          person,
          openHandover(handoverOptions),
        ),
      start: async () => undefined,
    },
    runs: { find: () => undefined, running: () => [] },
    turn: notYet,
    run: notYet,
    regenerate: notYet,
    edit: notYet,
    resume: async () => [],
    async close() {
      await chats.close();
      await store.close();
    },
  };
}
