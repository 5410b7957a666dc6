/** A call as the URL names it: `chat:demo#3`. */
export interface CallReference {
  readonly session: string;
  readonly n: number;
}

export function formatCall({ session, n }: CallReference): string {
  return `${session}#${n}`;
}

/** A session's id may hold any character; the last `#` (or, as people write it, `/`) parts it from the number. */
export function parseCall(text: string | undefined): CallReference | undefined {
  const [, session, digits] = /^(.+)[#/](\d+)$/s.exec(text ?? "") ?? [];
  const n = Number(digits);
  return session !== undefined && Number.isSafeInteger(n) && n >= 1 ? { session, n } : undefined;
}
