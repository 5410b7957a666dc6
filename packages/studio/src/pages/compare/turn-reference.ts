/** A turn as the URL names it: `chat:demo#3`. */
export interface TurnReference {
  readonly session: string;
  readonly n: number;
}

export function formatTurn({ session, n }: TurnReference): string {
  return `${session}#${n}`;
}

/** A session's id may hold any character; the last `#` parts it from the number. */
export function parseTurn(text: string | undefined): TurnReference | undefined {
  const at = text?.lastIndexOf("#") ?? -1;
  if (text === undefined || at < 1) return undefined;
  const n = Number(text.slice(at + 1));
  return Number.isSafeInteger(n) && n >= 1 ? { session: text.slice(0, at), n } : undefined;
}
