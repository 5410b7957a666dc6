import type * as z from "zod";
import { agentRoutes } from "./agents.ts";
import { browserRoutes } from "./browsers.ts";
import { chatRoutes } from "./chats.ts";
import { eventRoutes } from "./events.ts";
import { handoverRoutes } from "./handover.ts";
import { infoRoutes } from "./info.ts";
import { logRoutes } from "./logs.ts";
import { presetRoutes } from "./presets.ts";
import { providerRoutes } from "./providers.ts";
import type { Route } from "./route.ts";
import { runRoutes } from "./runs.ts";
import { sessionRoutes } from "./sessions.ts";

/** Every route below `/api`, by name. */
export const routes = {
  ...infoRoutes,
  ...providerRoutes,
  ...browserRoutes,
  ...presetRoutes,
  ...chatRoutes,
  ...runRoutes,
  ...sessionRoutes,
  ...logRoutes,
  ...agentRoutes,
  ...handoverRoutes,
  ...eventRoutes,
} as const;

export type RouteName = keyof typeof routes;
/** Those that answer with events. */
export type StreamName = {
  [Name in RouteName]: (typeof routes)[Name] extends { readonly stream: true } ? Name : never;
}[RouteName];
type PartOf<
  Name extends RouteName,
  Part extends "params" | "query" | "body" | "reply",
> = (typeof routes)[Name] extends {
  readonly [Key in Part]?: infer Schema;
}
  ? Exclude<Schema, undefined>
  : never;

/** What a caller gives: a part that a route has not is `undefined`. */
export interface RouteInput<Name extends RouteName> {
  readonly params: z.input<PartOf<Name, "params">>;
  readonly query: z.input<PartOf<Name, "query">>;
  readonly body: z.input<PartOf<Name, "body">>;
}

/** What a handler gets, parsed. */
export interface RouteArguments<Name extends RouteName> {
  readonly params: z.output<PartOf<Name, "params">>;
  readonly query: z.output<PartOf<Name, "query">>;
  readonly body: z.output<PartOf<Name, "body">>;
}

/** What a route answers; of a stream, one event. */
export type RouteReply<Name extends RouteName> = z.output<PartOf<Name, "reply">>;

export { errorBody } from "./shapes.ts";
export type { Route };
export type { TaskTree } from "./handover.ts";
export type { RunEvent, RunResult } from "./run-event.ts";
