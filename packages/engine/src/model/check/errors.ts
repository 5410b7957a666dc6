/** Every code that Galley can raise, with what it means. Codes are public and are never renamed. */
export const errorCatalogue = {
  InvalidJson: "The text is not JSON.",
  PresetInvalid: "The preset does not have the shape of a preset.",
  PresetConflict: "The preset has another version by now.",
  UnknownReference: "Something is referred to by an id that nothing has.",
  DuplicateId: "Two things that need ids of their own share one.",
  UnknownAnchor: "An injection names an anchor that nothing in the preset defines.",
  AnchorCycle: "Anchors are injected into each other in a circle, so that none of them has a place.",
  RecipeNotFound: "No recipe of the preset is meant for the model, and there is none for `*`.",
  EditNotAllowed: "The change is not possible in the present state.",
  SessionInvalid: "A session holds something that is not an entry.",
  SessionConflict: "The session has moved on since it was read.",
  ContextInvalidInput: "An input of the build is not valid.",
  ContextOverflow: "What must be sent does not fit into the window.",
  CompactionFailed: "The compactor failed, hung or gave nothing that can be used.",
  WireInvalid: "The provider would refuse the request.",
  TokenizerFailed: "The tokenizer threw or gave something that is not a count.",
  ModelUnavailable: "The model is unknown, or cannot be used as things are set up.",
  ModelRefused: "The model's provider refused the request.",
  ModelFailed: "The model's provider did not answer, or broke off.",
  ProviderFailed: "A provider of session context threw, hung or gave something that cannot be used.",
  AgentInvalid: "What is said about an agent is not valid.",
  ConfigInvalid: "The configuration in galley.config is not valid.",
  TokenRefused: "The session token is unknown, revoked or too old.",
  CanvasRefused: "A canvas cannot hold what it was given.",
  AgentFailed: "An agent could not be started, did not answer, or ended before it was told to.",
  AgentBusy: "The agent works on something else at this moment.",
  ToolFailed: "A tool did not do what it was called for.",
  ToolInputInvalid: "A tool was called with arguments that its schema does not allow.",
  NotFound: "What was asked for does not exist.",
  Forbidden: "What was asked for exists, but not for this caller.",
  ResultInvalid: "A result does not keep its contract.",
  TaskFailed: "A task ended with an error.",
  RunFailed: "A run ended with an error.",
  RunAborted: "A run was stopped before it had a reply.",
  CommandFailed: "A command that was to do the work failed.",
  FileNotFound: "A file that was named does not exist.",
  FileUnreadable: "A file that was named cannot be read or written.",
  ImportFailed: "A file of another program cannot be read.",
  FileExists: "A file that would be written already exists.",
  StoreBusy: "Another process holds the lock of a store for too long.",
  IndexDamaged: "A derived index was damaged and has to be built again from the files.",
  ChatKeyInvalid: "The name of a chat cannot be used.",
  DataDamaged: "A stored file holds something that cannot be read.",
  DataNewer: "The data was written by a newer version.",
  DataLocked: "Another process is working on the same data.",
  StorageFailed: "The disk refused to read or to write.",
  UnsafePath: "A data folder holds a link, a pipe or something else in the place of a plain file or folder.",
  BadRequest: "The request cannot be served as it is.",
  InvalidId: "Something cannot be an id.",
  BoxConflict: "The box has another version by now.",
  TaskLost: "The task has ended, or another worker has taken it over.",
  RunLost: "The run has ended, or another process has taken it over.",
  StoreUnavailable: "The database cannot be reached.",
  StoreVersion: "The database was written by a newer version.",
  ForeignDatabase: "A database of another program lies in the place of ours.",
  StoreDamaged: "What the database holds contradicts itself.",
  LoginNeeded: "The request does not say who asks, or with a token that is not good.",
  RequestTooLarge: "The request is larger than the daemon takes.",
  MethodNotAllowed: "The path exists, but not with this method.",
  MediaTypeUnsupported: "The body is of a kind that is not read here.",
  TooManyStreams: "One client follows too many things at once.",
  DataFolderInUse: "Another daemon works on the data folder.",
  DaemonNotRunning: "No daemon works on the data folder.",
  ConfigUnsafe: "Another user of the machine may have written a configuration that was found.",
  DaemonUnproven: "A daemon could not show that it is the one that you have started.",
  Unexpected: "Something went wrong inside Galley.",
  BadUsage: "The command was called with something that it does not know, or that does not go together.",
} as const;

/** A code of the catalogue. */
export type ErrorCode = keyof typeof errorCatalogue;

export interface GalleyErrorOptions {
  /** Where in the input, as one would write it in code: `contextRecipes[0].steps[2].messageId`. */
  readonly path?: string;
  /** What to do about it. */
  readonly hint?: string;
  readonly retryable?: boolean;
  /** Everything that is wrong, when more than the first problem is known. */
  readonly problems?: readonly Problem[];
  readonly cause?: unknown;
}

/** One thing that a person can fix. Errors stop what was asked for; warnings do not. */
export interface Problem {
  readonly severity: "error" | "warning";
  readonly code: ErrorCode;
  readonly message: string;
  readonly path: string;
  readonly hint?: string;
}

/** Everything that goes wrong: a public code, a sentence, where it is and what to do about it. */
export class GalleyError extends Error {
  override readonly name = "GalleyError";
  readonly code: ErrorCode;
  readonly path: string | undefined;
  readonly hint: string | undefined;
  readonly retryable: boolean;
  readonly problems: readonly Problem[];

  constructor(code: ErrorCode, message: string, given: GalleyErrorOptions = {}) {
    // Also where the options are not an object: an error about an error would hide the first.
    const options: GalleyErrorOptions = { ...given };
    super(
      typeof message === "string" ? message : "",
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.code = code;
    this.path = options.path;
    this.hint = options.hint;
    this.retryable = options.retryable ?? false;
    this.problems = options.problems ?? [];
  }

  /** The error as data, for `--json` and for wires. */
  toJSON(): Record<string, unknown> {
    const { code, message, path, hint, retryable, problems } = this;
    return { code, message, path, hint, retryable, ...(problems.length > 0 ? { problems } : {}) };
  }
}

/** Throws the first error among the problems, with all of them attached; does nothing when there is none. */
export function throwOnErrors(problems: readonly Problem[]): void {
  if (!Array.isArray(problems) || problems.some((problem) => typeof problem?.message !== "string")) {
    const hint = "checkPreset and parseSession give such a list.";
    throw new GalleyError("ContextInvalidInput", "problems must be a list of problems.", { path: "problems", hint });
  }
  const errors = problems.filter((problem) => problem.severity === "error");
  const [first] = errors;
  if (!first) return;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : "";
  throw new GalleyError(first.code, first.message + more, { path: first.path, hint: first.hint, problems });
}

/** The first few of a list, for a message or a hint. */
export function someOf(names: Iterable<string>): string {
  const all = [...names];
  const some = all.slice(0, 8);
  return some.join(", ") + (all.length > some.length ? ` and ${all.length - some.length} more` : "");
}
