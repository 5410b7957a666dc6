/** Says something of a character by its code. */
export type CodeTest = (code: number) => boolean;

/** The other case of a letter, where it has one. */
export function variantsOf(code: number): number[] {
  const text = String.fromCharCode(code);
  const [lower, upper] = [text.toLowerCase(), text.toUpperCase()];
  return [lower, upper].flatMap((own) => (own.length === 1 && own !== text ? [own.charCodeAt(0)] : []));
}

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** `A–Z a–z 0–9 _`: what a whole word is made of. Letters of other scripts stand for themselves. */
export function isWordCode(code: number): boolean {
  return (code >= 97 && code <= 122) || isDigit(code) || (code >= 65 && code <= 90) || code === 95;
}

export function isSpace(code: number): boolean {
  return /\s/.test(String.fromCharCode(code));
}

export function isLineEnd(code: number): boolean {
  return code === 10 || code === 13 || code === 0x20_28 || code === 0x20_29;
}
