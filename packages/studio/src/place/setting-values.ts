// The context settings of a place as a plain form shows them: each is a text, and an empty text means "not set here".

/** How a setting is written: words, several lines, a number, one of a few words, `name = value` lines, or JSON. */
export const settingFields = {
  systemPrompt: "lines",
  userProfile: "lines",
  maxInputTokens: "number",
  reserveOutputTokens: "number",
  maxHistoryMessages: "number",
  targetRatio: "number",
  compaction: "json",
  runtimeData: "json",
  hints: "map",
  variables: "map",
  toolSteps: ["drop", "keep"],
  ownTools: "names",
  recall: ["true", "false"],
  pins: ["person", "model"],
  language: ["auto", "en", "zh"],
} as const;

export type SettingName = keyof typeof settingFields;

export const settingNames = Object.keys(settingFields) as readonly SettingName[];

interface SettingWords {
  readonly nothing: string;
  readonly values: Readonly<Record<string, string>>;
  readonly unset: Readonly<Record<string, string>>;
}

/** A setting in words, for a list: what programs call `true` is on, and a share is a share of a hundred. */
export function sayingOfSetting(
  name: SettingName,
  value: unknown,
  words: SettingWords,
  formats: { readonly number: (value: number) => string; readonly percent: (value: number) => string },
): string {
  const kind = settingFields[name];
  if (typeof value === "number") return name === "targetRatio" ? formats.percent(value) : formats.number(value);
  const isWord = kind !== "lines" && kind !== "map" && (typeof value !== "object" || value === null);
  const written = textOfSetting(name, value).replaceAll("\n", " · ");
  return (isWord && words.values[written]) || written || words.unset[name] || words.nothing;
}

/** A setting as it stands in its field. */
export function textOfSetting(name: SettingName, value: unknown): string {
  if (value === undefined) return "";
  if (value === null) return "null";
  const kind = settingFields[name];
  if (kind === "map") {
    return Object.entries(value as Readonly<Record<string, string>>)
      .map(([key, text]) => `${key} = ${text}`)
      .join("\n");
  }
  if (kind === "names" && Array.isArray(value)) return value.join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
}

/**
 * What is typed in a field as a value; nothing when it is empty. What cannot be read stays a text, so that the daemon says what
 * is wrong with it.
 */
export function settingOfText(name: SettingName, typed: string): unknown {
  const text = typed.trim();
  if (text === "") return undefined;
  const kind = settingFields[name];
  if (kind === "lines") return typed;
  if (text === "null") return null;
  if (kind === "map") return mapOf(text);
  if (kind === "names" && text !== "all" && text !== "none") return text.split(/[\s,，、]+/).filter(Boolean);
  if (kind === "number") return numberOf(text);
  if (name === "recall" && (text === "true" || text === "false")) return text === "true";
  return kind === "json" && text.startsWith("{") ? jsonOf(text) : text;
}

/** `32k` is 32,000, as on the command line. */
function numberOf(text: string): unknown {
  const [, digits = text, thousands] = /^([\d.,_]+)(k)?$/i.exec(text) ?? [];
  const number = Number(digits.replaceAll(/[,_]/g, ""));
  return Number.isFinite(number) ? number * (thousands ? 1000 : 1) : text;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A line without `=` is a name without a value, which the daemon refuses where it stands. */
function mapOf(text: string): Readonly<Record<string, string | null>> {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf("=");
      return at < 0 ? [line.trim(), null] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    }),
  );
}
