import type { RouteArguments, RouteName, RouteReply, StreamName } from "../../api/index.ts";
import type { StreamEvent } from "./event-stream.ts";

/** The same data, which the one who gave it may go on using. */
type Given<Value> = Value extends readonly (infer Item)[]
  ? readonly Given<Item>[]
  : Value extends (...args: never[]) => unknown
    ? Value
    : Value extends object
      ? { readonly [Key in keyof Value]: Given<Value[Key]> }
      : Value;

/** What a handler knows of the call beside its arguments. */
export interface Call {
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** Of a stream that goes on where another one was cut off. */
  readonly lastEventId?: string | undefined;
  /** The id of the browser that asks, where it is one. */
  readonly browser?: string | undefined;
}

type Answer<Name extends RouteName> = Name extends StreamName
  ? AsyncIterable<StreamEvent<Given<RouteReply<Name>>>>
  : Given<RouteReply<Name>>;

type RouteHandler<Name extends RouteName> = (
  args: RouteArguments<Name>,
  call: Call,
) => Answer<Name> | Promise<Answer<Name>>;

/** One handler for every route of the table; a missing one does not compile. */
export type RouteHandlers<Names extends RouteName = RouteName> = { readonly [Name in Names]: RouteHandler<Name> };
