/** The tools that Galley itself offers, by the groups that a setting may name. */
export const ownToolGroups = {
  chat: ["chat_context_new", "chat_context_load", "chat_context_list", "chat_context_clear_active"],
  handover: ["delegate_async", "fork_join", "launch_principal", "ask_expert", "join", "await_result"],
  recall: ["context_recall"],
  pins: ["context_pin"],
  canvas: ["actant_canvas_update", "actant_canvas_clear"],
} as const;

export type OwnGroup = keyof typeof ownToolGroups;

/** Nothing of the configuration may be called so; skills are read with the last one. */
export const ownToolNames: readonly string[] = [...Object.values(ownToolGroups).flat(), "galley_skill_read"];
