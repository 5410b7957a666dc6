import type { RouteName, RouteReply } from "galley/api";
import type { Input } from "galley/api/client";
import type { ReactElement } from "react";
import { type UseApiOptions, useApi } from "../api/use-api.ts";
import { ErrorNotice, Spinner } from "./notices.tsx";

type Loaded<Reply> =
  | { readonly data: Reply; readonly pending: undefined }
  | { readonly data: Reply | undefined; readonly pending: ReactElement };

/** The answer of a route, and what to show in its place: that it is on its way, or why it cannot be had (now). */
export function useLoaded<Name extends RouteName>(
  name: Name,
  input: Input<Name>,
  options?: UseApiOptions,
): Loaded<RouteReply<Name>> {
  const { data, error, refetch } = useApi(name, input, options);
  if (error) return { data, pending: <ErrorNotice error={error} onRetry={() => void refetch()} /> };
  return data === undefined ? { data, pending: <Spinner /> } : { data, pending: undefined };
}
