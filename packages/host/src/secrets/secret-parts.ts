/** Names of variables, headers, flags and parameters whose values are secrets, as far as names tell. */
const secretName =
  /key|token|secret|passw|passphrase|credential|private|cookie|authorization|bearer|signature|(?:^|[_-])(?:auth|pat|pass|dsn|jwt)(?:[_-]|$)|[_-]pwd$/i;

/** They sound like secrets and are none. */
const harmlessName =
  /tokeni[sz]|(?:max|min|num|count)[\w-]*tokens|key(?:board|word|map|frame|stroke)|(?:by|com|tres)pass/i;

export function isSecretName(name: string): boolean {
  return secretName.test(name) && !harmlessName.test(name);
}

/** Values of switches, whatever their names: to mask them would spoil every text and every JSON document. */
const switches = /^(?:true|false|null|none|yes|no|on|off|\d{1,8})$/i;

export function isSwitch(value: string): boolean {
  return switches.test(value);
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** How well-known services begin their keys. */
const keyPrefix = /^(?:sk|pk|rk|gh[a-z]|glpat|github_pat|xox[a-z]|tok|key|secret|pat|hf|npm|AKIA|AIza)[-_]?[\w-]{12,}$/;

/** Whether a word looks as if a machine had made it up. Words that people write, also with hyphens and a version, do not. */
export function looksRandom(word: string): boolean {
  if (/\s/.test(word)) return false;
  if (uuid.test(word) || (keyPrefix.test(word) && /\d/.test(word))) return true;
  return word.split(/[-_.~+]/).some((piece) => {
    const isMixed = /\d/.test(piece) && /[a-z]/i.test(piece);
    return piece.length >= 32 || (piece.length >= 12 && isMixed);
  });
}

/** Passwords of this kind are words that people use, `postgres` above all. */
const plainWord = /^[a-z]{1,8}$/i;

/**
 * A secret that stands in something longer, which is not one. A plain word is masked only with what stands around it, or no
 * text could speak of it any more.
 */
function partIn(value: string, around: (value: string) => string, isPlain = false): readonly string[] {
  if (value === "" || isSwitch(value)) return [];
  return isPlain || plainWord.test(value) ? [around(value)] : [value, decoded(value)];
}

/** An address in parts, each as it is written: a parser would write them differently from what others repeat. */
interface AddressParts {
  readonly scheme: string;
  readonly user: string;
  readonly password: string;
  readonly host: string;
  readonly segments: readonly string[];
  readonly parameters: readonly (readonly [name: string, value: string])[];
}

function addressOf(text: string): AddressParts | undefined {
  const match = /^([a-z][\w+.-]*:\/\/)(?:([^/?#\\]*)@)?([^/?#\\]*)([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/is.exec(text);
  if (!match) return undefined;
  const [, scheme = "", userinfo = "", host = "", path = "", query = "", fragment = ""] = match;
  const [, user = "", password = ""] = /^([^:]*):?(.*)$/s.exec(userinfo) ?? [];
  const parameters = `${query}&${fragment}`.split("&").map((pair) => {
    const [, name = "", value = ""] = /^([^=]*)=(.*)$/s.exec(pair) ?? [];
    return [name, value] as const;
  });
  return { scheme, user, password, host, segments: path.split(/[/\\]/).slice(1), parameters };
}

/**
 * What is secret in an address: user and password, values of parameters, and path segments that look random. Of a server's
 * address all parameters count, whatever they are called; of a database's only those that sound or look like secrets.
 */
export function secretsInAddress(address: string, isServer = false): readonly string[] {
  const found = addressOf(address);
  if (!found) return [];
  const { user, password, segments, parameters } = found;
  const names = new Set([user, ...parameters.flatMap(([name, value]) => (name === "user" ? [value] : []))]);
  return [
    // A user without a password is often a token, with one a plain name.
    ...(password === "" || looksRandom(user) ? partIn(user, (plain) => `//${plain}@`) : []),
    ...partIn(password, (plain) => `:${plain}@`, names.has(password)),
    ...parameters.flatMap(([name, value]) => {
      const isSecret = isServer || isSecretName(decoded(name)) || looksRandom(decoded(value));
      return isSecret ? partIn(value, (plain) => `${name}=${plain}`, names.has(value)) : [];
    }),
    ...segments.flatMap((segment) => (looksRandom(decoded(segment)) ? [segment, decoded(segment)] : [])),
  ];
}

/** An address as it may be shown: its origin and its path, without what is secret in it. */
export function shownAddress(address: string): string {
  const found = addressOf(address);
  if (!found) return address;
  const path = found.segments.map((segment) => `/${looksRandom(decoded(segment)) ? hidden : segment}`);
  return `${found.scheme}${found.host}${path.join("")}`;
}

/** In the place of what is not shown. */
const hidden = "…";

/** What stands behind the scheme of a credential (`Bearer …`), in a pair of `Basic`, and in a cookie. */
export function secretsInCredential(value: string): readonly string[] {
  const [, scheme = "", rest = ""] = /^([a-z][\w-]{1,20})\s+(\S.*)$/is.exec(value) ?? [];
  if (scheme === "") return /;|^[\w-]+=\S/.test(value) ? value.split(/[;=,\s]+/).filter(looksRandom) : [];
  const parts = /[=,;]/.test(rest) ? rest.split(/[;=,"\s]+/).filter(looksRandom) : [];
  if (scheme.toLowerCase() !== "basic") return isScheme(scheme) || looksRandom(rest) ? [rest, ...parts] : parts;
  const [, password = ""] = /^[^:]*:(.*)$/s.exec(Buffer.from(rest, "base64").toString("utf8")) ?? [];
  return [rest, ...partIn(password, (plain) => `:${plain}`)];
}

function isScheme(word: string): boolean {
  return /^(?:bearer|basic|token|apikey|api-key|key|digest|negotiate|hmac|jwt|oauth|aws4-\S+)$/i.test(word);
}

/** One word of a command line: the secrets in it, and how it may be shown. */
interface ArgumentParts {
  readonly secrets: readonly string[];
  readonly shown: string;
}

/** The words of a command line, with what is secret in them: addresses, credentials, `NAME=value`, and values of flags. */
export function readArguments(words: readonly string[]): readonly ArgumentParts[] {
  return words.map((word, index) => {
    const before = words[index - 1] ?? "";
    const isValue = before.startsWith("-") && !before.includes("=") && !word.startsWith("-");
    return readArgument(word, isValue && isSecretName(before));
  });
}

const pathLike = /^(?:~|\.{0,2})[/\\]|^@|^[A-Za-z]:[/\\]/;

function readArgument(word: string, isNamedSecret: boolean): ArgumentParts {
  // The redactor was here before, and its mark says more.
  if (/^‹secret:[^›]*›$/.test(word)) return { secrets: [], shown: word };
  if (addressOf(word)) return { secrets: secretsInAddress(word, true), shown: shownAddress(word) };
  // `--header "Authorization: Bearer …"`, `--api-key=…`, `-e GITHUB_TOKEN=…`
  const [, name = "", sign = "", value = ""] = /^([\w.-]+)(=|:\s+)(.+)$/s.exec(word) ?? [];
  if (value !== "") {
    const inner = readArgument(value, isNamedSecret || isSecretName(name));
    return { ...inner, shown: `${name}${sign}${inner.shown}` };
  }
  const isCredential = /^(?:bearer|basic|token)\s+\S/i.test(word);
  const isRandom = !/[/\\]/.test(word) && looksRandom(word);
  const isSecret = isCredential || isRandom || (isNamedSecret && !pathLike.test(word));
  if (!isSecret || isSwitch(word)) return { secrets: [], shown: word };
  return { secrets: plainWord.test(word) ? [] : [word, ...secretsInCredential(word)], shown: hidden };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
