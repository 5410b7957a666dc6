// Logs hold what tools have printed: keys in files, dumps of the environment. What looks like one is masked as it is read, so
// that it reaches neither a store nor a page nor, when the session goes on, a model [P6].

/** Not the middle of a longer word, such as a picture in base64. */
const start = String.raw`(?<![\w/+-])`;

/** A value with letters and digits, as names and words seldom are. */
const mixed = String.raw`(?=[^\s"'\`]{0,200}\d)(?=[^\s"'\`]{0,200}[A-Za-z])`;

/** Kinds of secrets, by how they look. The first group, where there is one, stays. */
const kinds: readonly (readonly [name: string, pattern: string])[] = [
  ["anthropic-key", String.raw`${start}sk-ant-[\w-]{20,}`],
  ["openrouter-key", String.raw`${start}sk-or-v1-[0-9a-f]{40,}`],
  ["openai-key", String.raw`${start}sk-(?:proj-|svcacct-|admin-)?(?=[\w-]{0,200}\d)[A-Za-z0-9][\w-]{30,}`],
  ["github-token", String.raw`${start}(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_\w{22,})`],
  ["gitlab-token", String.raw`${start}glpat-[\w-]{20,}`],
  ["aws-key", String.raw`${start}(?:AKIA|ASIA)[0-9A-Z]{16}(?!\w)`],
  ["google-key", String.raw`${start}AIza[\w-]{35}(?![\w-])`],
  ["slack-token", String.raw`${start}xox[abeprs]-[\w-]{10,}`],
  ["npm-token", String.raw`${start}npm_[A-Za-z0-9]{36}(?!\w)`],
  ["hugging-face-token", String.raw`${start}hf_[A-Za-z0-9]{30,}`],
  ["stripe-key", String.raw`${start}[rs]k_(?:live|test)_[A-Za-z0-9]{16,}`],
  ["json-web-token", String.raw`${start}eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}`],
  ["private-key", String.raw`-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]{1,20000}?-----END [A-Z ]*PRIVATE KEY-----`],
  ["password-in-address", String.raw`(?<=\b[a-z][\w+.-]{1,20}:\/\/[^\s:/@]{1,64}:)[^\s:/@$<>{}*"'\`]{4,128}(?=@[\w[])`],
  [
    "environment-variable",
    String.raw`(?<=\b[A-Z][A-Z0-9_]{0,60}(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD)=["']?)${mixed}[\w+/=.~-]{12,}`,
  ],
  // The same in JSON and YAML, where a key may be the name of many a thing.
  [
    "environment-variable",
    String.raw`(?<=\b[A-Z][A-Z0-9_]{0,60}(?:API_KEY|ACCESS_KEY|TOKEN|SECRET|PASSWORD|PASSWD)["']?\s{0,4}:\s{0,4}["']?)${mixed}[\w+/=.~-]{16,}`,
  ],
  ["bearer-token", String.raw`(?<=\b[Bb]earer\s{1,4})${mixed}[\w+/=.~-]{20,}`],
];

const patterns = kinds.map(([name, pattern]) => [name, new RegExp(pattern, "g")] as const);

/** A text without any of these holds no secret: looked for first, because most texts have none. */
const traces =
  /sk-|gh[pousr]_|github_pat_|glpat-|A[KS]IA|AIza|xox[abeprs]-|npm_|hf_|k_live_|k_test_|eyJ|PRIVATE KEY|:\/\/[^\s/@]+@|(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD)["']?\s{0,4}[=:]|earer\s/;

/** What is opaque by its nature: bytes and signatures. */
const opaque = new Set(["data", "image", "signature", "thinkingSignature", "encrypted_content"]);

/** The same value with `‹secret:kind›` for what looks like a secret; the very same object where there is none. */
export function maskSecrets<Value>(value: Value, onSecret: (kind: string) => void): Value {
  const clean = (item: unknown): unknown => {
    if (typeof item === "string") return maskText(item, onSecret);
    if (typeof item !== "object" || item === null) return item;
    if (Array.isArray(item)) {
      const cleaned = item.map(clean);
      return cleaned.every((each, at) => each === item[at]) ? item : cleaned;
    }
    let changed: Record<string, unknown> | undefined;
    for (const [key, field] of Object.entries(item)) {
      const cleaned = opaque.has(key) || key === "providerOptions" ? field : clean(field);
      if (cleaned !== field) (changed ??= { ...item })[key] = cleaned;
    }
    return changed ?? item;
  };
  return clean(value) as Value;
}

function maskText(text: string, onSecret: (kind: string) => void): string {
  if (text.length < 12 || !traces.test(text)) return text;
  let result = text;
  for (const [kind, pattern] of patterns) {
    result = result.replace(pattern, () => {
      onSecret(kind);
      return `‹secret:${kind}›`;
    });
  }
  return result;
}
