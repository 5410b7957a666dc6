import { type ErrorCode, GalleyError } from "@galley/engine";
import type { ContentfulStatusCode } from "hono/utils/http-status";

/** What each error is over HTTP. 4xx: the request, or the state of what it names. 5xx: this machine. */
const httpStatus: Readonly<Record<ErrorCode, ContentfulStatusCode>> = {
  InvalidJson: 400,
  PresetInvalid: 422,
  UnknownReference: 422,
  DuplicateId: 409,
  UnknownAnchor: 422,
  AnchorCycle: 422,
  RecipeNotFound: 422,
  EditNotAllowed: 422,
  SessionInvalid: 422,
  SessionConflict: 409,
  ContextInvalidInput: 422,
  ContextOverflow: 422,
  CompactionFailed: 424,
  WireInvalid: 422,
  TokenizerFailed: 424,
  ProviderFailed: 424,
  AgentInvalid: 422,
  ConfigInvalid: 422,
  TokenRefused: 403,
  CanvasRefused: 422,
  AgentFailed: 424,
  AgentBusy: 409,
  ToolFailed: 424,
  ToolInputInvalid: 422,
  NotFound: 404,
  Forbidden: 403,
  ResultInvalid: 422,
  TaskFailed: 424,
  RunFailed: 424,
  CommandFailed: 424,
  FileNotFound: 404,
  FileUnreadable: 500,
  ImportFailed: 422,
  FileExists: 409,
  StoreBusy: 503,
  IndexDamaged: 500,
  ChatKeyInvalid: 422,
  DataDamaged: 500,
  DataNewer: 409,
  DataLocked: 503,
  StorageFailed: 500,
  UnsafePath: 500,
  BadRequest: 400,
  InvalidId: 422,
  BoxConflict: 409,
  TaskLost: 409,
  RunLost: 409,
  StoreUnavailable: 503,
  StoreVersion: 409,
  ForeignDatabase: 409,
  StoreDamaged: 500,
  ModelUnavailable: 422,
  ModelRefused: 424,
  ModelFailed: 424,
  PresetConflict: 409,
  RunAborted: 409,
  LoginNeeded: 401,
  RequestTooLarge: 413,
  MethodNotAllowed: 405,
  MediaTypeUnsupported: 415,
  TooManyStreams: 429,
  DataFolderInUse: 409,
  DaemonNotRunning: 409,
  DaemonUnproven: 409,
  ConfigUnsafe: 403,
  Unexpected: 500,
  BadUsage: 400,
};

/** An error as a client reads it, in the shape of `errorBody`. An unexpected one says nothing about the inside: the log does. */
export function errorAnswer(
  error: unknown,
  redact: <Value>(value: Value) => Value,
): { readonly status: ContentfulStatusCode; readonly body: Readonly<Record<string, unknown>> } {
  const known =
    error instanceof GalleyError
      ? error
      : new GalleyError("Unexpected", "Something went wrong inside Galley.", { hint: "daemon.log says more." });
  return { status: httpStatus[known.code], body: redact(known.toJSON()) };
}

export function errorResponse(error: unknown, redact: <Value>(value: Value) => Value): Response {
  const { status, body } = errorAnswer(error, redact);
  return Response.json(body, { status, headers: { "cache-control": "no-store" } });
}

/** A client that leaves in the middle of its body is expected now and then. */
export function toGalleyError(error: Error): Error {
  const isGone = "code" in error && error.code === "ECONNRESET";
  if (!isGone || error instanceof GalleyError) return error;
  return new GalleyError("BadRequest", "The body of the request did not come whole.", { path: "body", cause: error });
}

export function loginNeeded(): GalleyError {
  return new GalleyError("LoginNeeded", "Not signed in.", {
    hint: "In a browser: open the link that `galley open` prints. In a program: Authorization: Bearer, with the token of daemon.json.",
  });
}
