/** Knows the secrets of a moment; a `Redactor` does. */
interface TextSecrets {
  secrets(): Readonly<Record<string, string>>;
  readonly redact: (text: string) => string;
}

/** Takes secrets out of a text that comes in pieces, also where a secret is cut in two. */
export class TextRedactor {
  readonly #redactor: TextSecrets;
  #held = "";

  constructor(redactor: TextSecrets) {
    this.#redactor = redactor;
  }

  /** What may be shown by now; the beginning of what could become a secret is held back. */
  push(piece: string): string {
    const text = this.#redactor.redact(this.#held + piece);
    const held = maxStart(text, Object.values(this.#redactor.secrets()));
    this.#held = text.slice(text.length - held);
    return text.slice(0, text.length - held);
  }

  /** What was held back: no more is coming, so it has not become a secret. */
  flush(): string {
    const rest = this.#held;
    this.#held = "";
    return rest;
  }
}

/** How many characters at the end of the text are the beginning of a secret. */
function maxStart(text: string, secrets: Iterable<string>): number {
  let longest = 0;
  for (const secret of secrets) {
    for (let length = Math.min(secret.length - 1, text.length); length > longest; length -= 1) {
      if (secret.startsWith(text.slice(text.length - length))) longest = length;
    }
  }
  return longest;
}
