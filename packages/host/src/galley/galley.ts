import type { UserMessage } from "@galley/engine";
import type { TimeLimits } from "../config/limits-schema.ts";
import type { GalleyConfig, LoadedConfig } from "../config/load-config.ts";
import type { Models } from "../models/models.ts";
import type { PresetLibrary } from "../presets/preset-library.ts";
import type { Redactor } from "../secrets/redactor.ts";
import type { Store } from "../store/ports/ports.ts";
import type { GalleyEvents } from "../turn/services/galley-events.ts";
import type { Summaries } from "../turn/services/services.ts";
import type { GalleyChats, GalleyHandover } from "../turn/services/galley-ports.ts";
import type {
  RegenerateOptions,
  GalleyRun,
  GalleyRuns,
  GalleyTool,
  GalleyTurn,
  RunRequest,
  TurnPlace,
  TurnRequest,
} from "../turn/services/turn-types.ts";

/** One data folder, opened: everything that a turn needs, and turns. */
export interface Galley {
  /** The data folder, as an absolute path. */
  readonly data: string;
  readonly project: string;
  readonly config: LoadedConfig | undefined;
  /** How long things may take. */
  readonly limits: TimeLimits;
  readonly store: Store;
  readonly models: Models;
  /** Knows every secret; what is written anywhere goes through it [P6]. */
  readonly redactor: Redactor;
  readonly presets: PresetLibrary;
  readonly chats: GalleyChats;
  readonly handover: GalleyHandover;
  readonly runs: GalleyRuns;
  readonly events: GalleyEvents;
  /** Builds what a model would read, for those who call it themselves. */
  turn(request: TurnRequest): Promise<GalleyTurn>;
  /** Builds, calls the model, serves its tools, until there is a reply. Begins at once; one at a time in a place. */
  run(request: RunRequest): GalleyRun;
  /** Answers the last message of the user anew [M6]. A text is the key of a chat. */
  regenerate(place: string | TurnPlace, options?: RegenerateOptions): GalleyRun;
  /** Says a message of the user differently and answers it [M6]; `messageId` is that of a chat's message or of an entry. */
  edit(
    place: string | TurnPlace,
    messageId: string,
    input: string | UserMessage,
    options?: RegenerateOptions,
  ): GalleyRun;
  /**
   * Goes on with the runs of processes that are not there any more. Others know that only when the lease of a run is over,
   * after some seconds; the one `isOwner` of the data folder knows it at once.
   */
  resume(options?: { readonly isOwner?: boolean }): Promise<readonly GalleyRun[]>;
  /** Hands running runs back, so that they can be resumed, and closes everything. */
  close(): Promise<void>;
}

export interface OpenGalleyOptions {
  /** The data folder; `.ship` if absent. */
  readonly data?: string;
  /** The URL of a PostgreSQL database instead of the embedded store; chats stay in the data folder. */
  readonly postgres?: string;
  /** A galley.config or its folder, a configuration, or `false` for none; looked for from here upwards if absent. */
  readonly config?: string | GalleyConfig | false;
  /** `default` if absent. */
  readonly project?: string;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Where keys are looked for; `process.env` if absent. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly fetch?: typeof globalThis.fetch;
  readonly tools?: readonly GalleyTool[];
  /** Writes summaries of what no longer fits. */
  readonly summaries?: Summaries;
  /** The model that runs tasks whose caller used none; the configuration's default if absent. */
  readonly workerModel?: string;
}
