/** What is known of the window that a text has to fit into. */
export interface WindowFacts {
  /** The agent's model, as the agent names it. */
  readonly model?: string | undefined;
  /** In tokens, as the agent reported it. */
  readonly windowTokens?: number | undefined;
}

/** The chat in which an agent's prompts and replies are kept [A6]. */
export interface AgentChat {
  /** Names what is active: another name means that a session which knew all of it does so no longer. */
  stamp(): string;
  /** What is active as one text, labelled and fitted, for a session that knows nothing of it; empty if there is nothing. */
  recall(facts: WindowFacts): Promise<string>;
  /** Begins an exchange; nothing is written before it ends. */
  begin(prompt: string): Promise<AgentExchange>;
}

/** A prompt that an agent is at work on. */
interface AgentExchange {
  /** What came back from tasks since the last prompt, to be told in front of this one; empty if there is nothing [A1]. */
  readonly results: string;
  /** Keeps prompt and reply. Gives the new name of what is active, or nothing if that was switched meanwhile. */
  commit(reply: { readonly text: string; readonly isStopped: boolean }): Promise<string | undefined>;
  /** Keeps the prompt in the transcript, as one without an answer. */
  fail(): Promise<void>;
}
