// Session tokens are 64 hex digits; the others are how the providers write their keys.
const patterns: readonly (readonly [name: string, pattern: RegExp])[] = [
  ["token", /\b[0-9a-f]{64}\b/gi],
  ["bearer", /(?<=\bBearer\s{1,8})[\w.~+/-]{16,}=*/gi],
  ["key", /\b(?:sk|pk|rk|ghp|gho|ghs|glpat|xox[abprs])[-_][\w-]{16,}/g],
  ["key", /\bAIza[\w-]{30,}/g],
  ["token", /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}/g],
];

/** True when the text holds something that looks like a secret. */
export function hasSecret(text: string): boolean {
  return patterns.some(([, pattern]) => text.search(pattern) >= 0);
}

/** Puts `‹secret:name›` in the place of all that looks like a session token or a key [P6]. */
export function maskSecrets(text: string): string {
  return patterns.reduce((masked, [name, pattern]) => masked.replace(pattern, `‹secret:${name}›`), text);
}
