/** A turn as the URL names it: `chat:demo#3`. */
export interface TurnReference {
  readonly session: string;
  readonly n: number;
}

export function formatTurn({ session, n }: TurnReference): string {
  return `${session}#${n}`;
}

/** A session's id may hold any character; the last `#` (or, as people write it, `/`) parts it from the number. */
export function parseTurn(text: string | undefined): TurnReference | undefined {
  const [, session, digits] = /^(.+)[#/](\d+)$/s.exec(text ?? "") ?? [];
  const n = Number(digits);
  return session !== undefined && Number.isSafeInteger(n) && n >= 1 ? { session, n } : undefined;
}
