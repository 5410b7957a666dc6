/** One message of an example dialogue. */
export interface ExampleMessage {
  readonly speaker: "example_user" | "example_assistant";
  readonly content: string;
}

export interface SpeakerNames {
  readonly user: string;
  readonly character: string;
}

/** Far more than any card has; each is at least one message. */
export const maxDialogues = 1000;

/** Old files write the two names in angle brackets. */
export function normalizeNames(text: string): string {
  if (!text.includes("<") && !text.includes("{{")) return text;
  return text
    .replace(/<GROUP>/gi, "{{group}}")
    .replace(/<USER>|\{\{\s*user\s*\}\}/gi, "{{user}}")
    .replace(/<(?:BOT|CHAR|CHARIFNOTGROUP)>|\{\{\s*(?:char|charIfNotGroup)\s*\}\}/gi, "{{char}}");
}

/** What a card says is filled in before entries come, so that outlets are empty in it. */
export function cardText(text: string): string {
  return normalizeNames(text).replaceAll(/\{\{\s*outlet::[^{}]*\}\}/gi, "");
}

/**
 * Splits a card's example text into dialogues at `<START>`, and each of them into messages at lines that begin with one
 * of the two names. A dialogue without any such line has no messages and still counts, as it does in SillyTavern.
 */
export function readExamples(source: string, names: SpeakerNames): ExampleMessage[][] {
  const text = normalizeNames(source.replaceAll("\r", ""));
  if (text === "" || text === "<START>") return [];
  const marked = text.startsWith("<START>") ? text : `<START>\n${text}`;
  return marked
    .split(/<START>/i)
    .slice(1)
    .map((block) => readDialogue(block.trim(), names));
}

function readDialogue(block: string, names: SpeakerNames): ExampleMessage[] {
  const prefixes = {
    example_user: ["{{user}}:", `${names.user}:`],
    example_assistant: ["{{char}}:", `${names.character}:`],
  };
  const messages: ExampleMessage[] = [];
  let speaker: ExampleMessage["speaker"] | undefined;
  let lines: string[] = [];
  const finish = (): void => {
    if (!speaker) return;
    messages.push({ speaker, content: withoutName(lines.join("\n"), prefixes[speaker]).trim() });
    lines = [];
  };
  for (const line of block.split("\n")) {
    const next = speakerOf(line, prefixes);
    if (next !== undefined && next !== speaker) {
      finish();
      speaker = next;
    }
    lines.push(line);
  }
  finish();
  return messages;
}

function speakerOf(
  line: string,
  prefixes: Readonly<Record<ExampleMessage["speaker"], readonly string[]>>,
): ExampleMessage["speaker"] | undefined {
  if (prefixes.example_user.some((prefix) => line.startsWith(prefix))) return "example_user";
  return prefixes.example_assistant.some((prefix) => line.startsWith(prefix)) ? "example_assistant" : undefined;
}

/** Only the first name goes: further ones are part of what was said. */
function withoutName(text: string, prefixes: readonly string[]): string {
  let first: { readonly at: number; readonly length: number } | undefined;
  for (const prefix of prefixes) {
    const at = text.indexOf(prefix);
    if (at >= 0 && (!first || at < first.at)) first = { at, length: prefix.length };
  }
  return first ? text.slice(0, first.at) + text.slice(first.at + first.length) : text;
}
