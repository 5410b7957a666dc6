import type { UserMessage } from "@galley/engine";
import { chatKeyOf } from "../api/place-id.ts";
import { newId } from "../handover/options/new-id.ts";
import { branchAt, branchAtLast } from "../turn/run/find-branch.ts";
import type { RunRegistry } from "../turn/run/run-registry.ts";
import { type RunStart, fingerprintOf, userMessage } from "../turn/run/run-request.ts";
import { checkAgain, checkRun } from "../turn/services/check-request.ts";
import type { Services } from "../turn/services/services.ts";
import type { GalleyRun, RegenerateOptions, RunRequest, TurnPlace } from "../turn/services/turn-types.ts";
import type { Galley } from "./galley.ts";

/** The three ways to start a run: with something new, with the last question again, and with an earlier one changed. */
export function runStarters(parts: Services, runs: RunRegistry): Pick<Galley, "run" | "regenerate" | "edit"> {
  const idOf = (asked: RegenerateOptions, what: object): Pick<RunStart, "runId" | "hasNewId" | "fingerprint"> => ({
    runId: asked.runId ?? newId(parts.now()),
    hasNewId: asked.runId === undefined,
    fingerprint: fingerprintOf({ ...asked, ...what }),
  });
  const again = (place: string | TurnPlace): TurnPlace => (typeof place === "string" ? { chat: place } : place);
  return {
    run: ({ chat, agent, session, input, ...rest }: RunRequest): GalleyRun =>
      runs.start({
        ...rest,
        check: () => checkRun({ chat, agent, session, input, ...rest }),
        ...idOf(rest, { chat, agent, session, input }),
        place: { chat, agent, session },
        prepare: async (place) => {
          const message = userMessage(input);
          const key = chatKeyOf(place);
          const time = key === undefined ? parts.now() : (await parts.chats.open(key)).nextTime();
          return { input: message, inputTs: time };
        },
      }),
    regenerate: (place, rest = {}) =>
      runs.start({
        ...rest,
        check: () => checkAgain(rest),
        ...idOf(rest, { regenerate: place }),
        place: again(place),
        answersLastMessage: true,
        prepare: (name) => branchAtLast(parts, name),
      }),
    edit: (place, messageId: string, input: string | UserMessage, rest = {}) =>
      runs.start({
        ...rest,
        check: () => checkAgain(rest),
        ...idOf(rest, { edit: place, messageId, input }),
        place: again(place),
        prepare: async (name) => branchAt(parts, name, messageId, userMessage(input)),
      }),
  };
}
