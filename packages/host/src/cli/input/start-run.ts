import type { RunEvent } from "../../api/run-event.ts";
import type { DaemonClient } from "../../daemon/client/daemon-client.ts";
import type { Galley } from "../../galley/galley.ts";
import type { GalleyRun, RunRequest } from "../../turn/services/turn-types.ts";
import { connect } from "./connect.ts";
import type { FolderFlags } from "./options.ts";

export interface RunOptions extends FolderFlags {
  readonly config?: string | undefined;
  readonly signal: AbortSignal;
}

/** Answers the last message of a chat again, in place of saying something. */
export interface RegenerateRun extends Omit<NamedRun, "input" | "session" | "agent"> {
  readonly regenerate: true;
}

/** The events of a run that begins now. */
export async function* startRun(request: NamedRun | RegenerateRun, options: RunOptions): AsyncGenerator<RunEvent> {
  const { data, config, signal } = options;
  const daemon = await connect(options);
  if (daemon) {
    yield* runThrough(daemon, request, signal);
    return;
  }
  const { openGalley } = await import("../../galley/open-galley.ts");
  const galley = await openGalley({ data, config });
  try {
    const started = startedBy(galley, request, signal);
    started.result.catch(() => undefined);
    yield* started;
  } finally {
    await galley.close();
  }
}

function startedBy(galley: Galley, request: NamedRun | RegenerateRun, signal: AbortSignal): GalleyRun {
  if (!("regenerate" in request)) return galley.run({ ...request, signal });
  const { regenerate: _, chat = "", ...rest } = request;
  return galley.regenerate(chat, { ...rest, signal });
}

/** A run that another process can have: its model has a name, and its tools are those of the place. */
type NamedRun = Omit<RunRequest, "model" | "tools"> & { readonly model?: string };

async function* runThrough(
  daemon: DaemonClient,
  request: NamedRun | RegenerateRun,
  signal: AbortSignal,
): AsyncGenerator<RunEvent> {
  let runId: string | undefined;
  const abort = (): void => {
    if (runId !== undefined) void daemon.call("runs.abort", { params: { id: runId } }).catch(() => undefined);
  };
  signal.addEventListener("abort", abort);
  for await (const event of eventsThrough(daemon, request)) {
    if (event.type === "run:started") {
      runId = event.runId;
      // Stopped before it had a name.
      if (signal.aborted) abort();
    }
    yield event;
  }
}

function eventsThrough(daemon: DaemonClient, request: NamedRun | RegenerateRun): AsyncIterable<RunEvent> {
  if (!("regenerate" in request)) return daemon.stream("runs.start", { body: request });
  const { regenerate: _, chat: key = "", ...body } = request;
  return daemon.stream("runs.regenerate", { params: { key }, body });
}
