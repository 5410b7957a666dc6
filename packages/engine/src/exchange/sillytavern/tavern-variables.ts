import type { TavernScene } from "./tavern-files.ts";
import { cardText, normalizeNames } from "./example-dialogue.ts";

/** What macros stand for that quote the card, the persona and the settings. Names in lower case are found in any case. */
export function tavernVariables({
  card,
  preset,
  persona,
  user,
  note,
  group,
  chat,
}: TavernScene): Record<string, string> {
  const names = group.map((member) => member.name).join(", ");
  const others = group.filter((member) => member !== card).map((member) => member.name);
  const limit = (key: string): number => (typeof preset.source[key] === "number" ? preset.source[key] : 0);
  const [context, response] = [limit("openai_max_context"), limit("openai_max_tokens")];
  const card_ = {
    description: card.description,
    personality: card.personality,
    scenario: card.scenario,
    mesexamples: exampleBlocks(card.examples),
    mesexamplesraw: card.examples,
    charprompt: card.systemPrompt,
    charinstruction: card.postHistory,
    chardepthprompt: card.depthPrompt.text,
    creatornotes: card.creatorNotes,
    charfirstmessage: card.greeting.trim(),
  };
  const values: Readonly<Record<string, string>> = {
    char: card.name,
    user,
    newexample: preset.newExample,
    ...card_,
    chardescription: card.description,
    charpersonality: card.personality,
    charscenario: card.scenario,
    charcreatornotes: card.creatorNotes,
    greeting: card.greeting.trim(),
    charversion: card.version,
    char_version: card.version,
    systemprompt: card.systemPrompt,
    persona: (persona?.text ?? "").trim(),
    authorsnote: note?.text ?? "",
    summary: "",
    notchar: [...others, user].join(", "),
    ...(group.length > 0 ? { group: names, charifnotgroup: names } : {}),
    ...(context > 0
      ? { maxcontext: String(context), maxresponse: String(response), maxprompt: String(context - response) }
      : {}),
    ...Object.fromEntries(Object.entries(chat?.variables ?? {}).map(([name, value]) => [`getvar::${name}`, value])),
  };
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, key === "char" ? value : cardText(normalizeNames(value))]),
  );
}

/** Each dialogue begins with its mark, and ends with a new line. */
function exampleBlocks(examples: string): string {
  if (examples === "" || examples === "<START>") return "";
  return examples
    .split(/<START>/i)
    .slice(/^<START>/i.test(examples) ? 1 : 0)
    .map((block) => `<START>\n${block.trim()}\n`)
    .join("");
}
