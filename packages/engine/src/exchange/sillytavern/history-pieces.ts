import type { ReplyKind } from "../../compose/activation/activation.ts";
import type { MessageTemplate } from "../../compose/preset/preset.ts";
import { normalizeNames } from "./example-dialogue.ts";
import type { TavernPrompt, TavernScene } from "./tavern-files.ts";
import { type Piece, listPlace, tavernMetadata } from "./tavern-pieces.ts";

/** What SillyTavern says at the end of everything for some kinds of reply. */
export function replyPieces({ preset }: TavernScene, freeId: (wanted: string) => string): Piece[] {
  const piece = (wanted: string, content: string, replies: readonly ReplyKind[]): Piece => ({
    template: {
      id: freeId(wanted),
      role: "system",
      content: normalizeNames(content),
      keepApart: true,
      activation: { replies },
      metadata: tavernMetadata(wanted),
    },
    isEnabled: true,
    place: listPlace,
  });
  return [
    piece("impersonation", preset.impersonation, ["impersonate"]),
    piece("quiet-prompt", "{{replyPrompt}}", ["quiet"]),
  ];
}

/** The history, what begins it, and what SillyTavern puts behind it. */
export function historyPieces(
  prompt: TavernPrompt,
  isEnabled: boolean,
  { preset, group }: TavernScene,
  freeId: (wanted: string) => string,
): Piece[] {
  const piece = (wanted: string, template: Omit<MessageTemplate, "id">): Piece => ({
    template: { id: freeId(wanted), keepApart: true, ...template, metadata: tavernMetadata(wanted) },
    isEnabled,
    place: listPlace,
  });
  const isGroup = group.length > 0;
  const after: Piece[] = [];
  if (preset.sendIfEmpty !== "") {
    const content = normalizeNames(preset.sendIfEmpty);
    after.push(piece("send-if-empty", { role: "user", content, activation: { when: { lastRole: "assistant" } } }));
  }
  if (isGroup && preset.groupNudge !== "") {
    const replies: readonly ReplyKind[] = ["normal", "continue", "swipe", "regenerate", "quiet"];
    const content = normalizeNames(preset.groupNudge);
    after.push(piece("group-nudge", { role: "system", content, activation: { replies } }));
  }
  const content = normalizeNames(isGroup ? preset.newGroupChat : preset.newChat);
  return [
    piece(isGroup ? "new-group-chat" : "new-chat", { role: "system", content }),
    { template: { ...templateOf(prompt, ""), type: "chat_history" }, isEnabled, place: listPlace },
    ...after,
  ];
}

/** A prompt as a template. */
export function templateOf(prompt: TavernPrompt, content: string): MessageTemplate {
  const isAnchor = ["worldInfoBefore", "worldInfoAfter", "dialogueExamples"].includes(prompt.identifier);
  // Where the text is not the prompt's own, both are remembered, so that an export can tell an edit from the import's work.
  const made = prompt.content === content ? {} : { content: prompt.content, imported: content };
  return {
    id: prompt.identifier,
    role: prompt.role,
    ...(content === "" ? {} : { content }),
    ...(isAnchor ? { type: "placeholder" } : {}),
    ...(prompt.name === "" || prompt.name === prompt.identifier ? {} : { name: prompt.name }),
    metadata: tavernMetadata("prompt", { prompt: prompt.source, ...made }),
  };
}
