import { GalleyError } from "@galley/engine";
import { importLog } from "@galley/engine/logs";
import type { RouteName } from "../../api/index.ts";
import { decodeText } from "../../disk/decode-text.ts";
import { inSmallHeap } from "../../limits/small-heap.ts";
import type { RouteHandlers } from "../http/bind-routes.ts";
import type { HandlerContext } from "./handler-context.ts";

type LogRoute = Extract<RouteName, `logs.${string}`>;

/** Logs of agents: the folders of agents are read when they are asked for, and never before [L3]. */
export function logHandlers({ galley }: HandlerContext): RouteHandlers<LogRoute> {
  const { logs, sessions } = galley;
  return {
    "logs.list": ({ query: { read } }) => logs.list({ readAll: read === "all" }),
    "logs.import": ({ query: { name, as } }, { body, signal }) => {
      const checkStop = (): void => {
        if (signal.aborted) throw new GalleyError("RunAborted", "The upload was stopped.");
      };
      const append = async (...args: Parameters<typeof sessions.append>) => (await sessions.append(...args)).added;
      const text = decodeText(body ?? ReadableStream.from([]));
      return inSmallHeap(() => importLog(text, append, { name, as, checkStop }));
    },
    "logs.open": ({ params: { id } }) => inSmallHeap(() => logs.open(id)),
    "logs.follow": async function* ({ params: { id } }, { signal }) {
      let n = 0;
      for await (const data of logs.follow(id, { signal })) yield { id: String((n += 1)), data };
    },
  };
}
