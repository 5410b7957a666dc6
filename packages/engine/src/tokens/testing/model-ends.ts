/** An end of life that a provider has announced. */
export interface ModelEnd {
  /** When the models stop answering, as `2026-12-11`. */
  readonly end: string;
  readonly models: readonly string[];
  /** Where it is said, and when we read it. */
  readonly source: string;
  readonly read: string;
}

const read = "2026-11-17";
const openai = "OpenAI's page Deprecations, as articles of October 2026 quote it";

/** Kept by hand beside the catalogue, which does not say how long a model is served. Bring it up to date with `npm run models`. */
export const modelEnds: readonly ModelEnd[] = [
  {
    end: "2026-06-01",
    models: ["gemini-2.0-flash", "gemini-2.0-flash-lite"],
    source: "Google's page Gemini deprecations, as an article of June 2026 quotes it",
    read,
  },
  {
    end: "2026-06-15",
    models: ["claude-sonnet-4", "claude-opus-4"],
    source: "Anthropic's release notes of June 15, 2026, as a watcher of providers records them",
    read,
  },
  {
    end: "2026-08-10",
    models: ["gpt-5.2-chat", "gpt-5.3-chat"],
    source: "OpenAI's API reference, list of models",
    read,
  },
  {
    end: "2026-10-16",
    models: ["gemini-2.5-pro", "gemini-2.5-flash", "gemini-2.5-flash-lite"],
    source: "Google's page Gemini deprecations, as articles quote it; Google's Firebase pages say October 2026",
    read,
  },
  {
    end: "2026-10-23",
    models: ["gpt-3.5-turbo", "gpt-4", "gpt-4-turbo", "gpt-4.1-nano", "o1", "o1-pro", "o3-mini", "o4-mini"],
    source: openai,
    read,
  },
  {
    end: "2026-11-30",
    models: ["claude-sonnet-4-5"],
    source: "Anthropic's page about Claude Sonnet 4.5",
    read,
  },
  {
    end: "2026-12-11",
    models: ["gpt-5", "gpt-5-mini", "gpt-5-nano", "gpt-5-pro", "o3", "o3-pro"],
    source: openai,
    read,
  },
  { end: "2027-01-14", models: ["gpt-4o", "gpt-4o-mini", "gpt-4.1", "gpt-4.1-mini"], source: openai, read },
  { end: "2027-04-01", models: ["gpt-5.1"], source: openai, read },
  {
    end: "2027-05-07",
    models: ["gemini-3.1-flash-lite"],
    source: "Google's page Gemini deprecations",
    read,
  },
];
