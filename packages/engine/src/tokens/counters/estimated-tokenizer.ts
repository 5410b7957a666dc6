import { LETTER, MARK, NUMBER, SPACE, NEWLINE, classAt } from "./character-class.ts";
import type { Encoding } from "./bpe-tokenizer.ts";
import { minCount } from "./min-count.ts";
import type { EstimatedFamily, Tokenizer } from "./tokenizer.ts";

/** How many tokens a family has for one of o200k_base, by what stands in the text. */
interface Factors {
  /** Words of ASCII letters. */
  readonly word: number;
  /** Everything that is not ASCII: Chinese, Japanese, Cyrillic, emoji. */
  readonly wide: number;
  readonly symbol: number;
  readonly space: number;
  /** For one digit where digits stand alone; for up to three of them where they are grouped, as in o200k_base. */
  readonly digits: number;
  readonly areDigitsAlone: boolean;
}

// Measured against the families' own tokenizers (`npm run bench estimates`; docs/decisions/8), then rounded up. Claude's
// is not public: its factors are those of the last public one, raised by what Anthropic and others report of the newer.
const factors: Record<EstimatedFamily, Factors> = {
  claude: { word: 1.5, wide: 1.6, symbol: 0.95, space: 1.25, digits: 1.4, areDigitsAlone: false },
  "claude-4.7": { word: 2, wide: 2.1, symbol: 1.3, space: 1.7, digits: 1.9, areDigitsAlone: false },
  gemini: { word: 1.45, wide: 1, symbol: 0.9, space: 1.4, digits: 1.05, areDigitsAlone: true },
  llama: { word: 1.02, wide: 1.1, symbol: 1.02, space: 1.12, digits: 1.05, areDigitsAlone: false },
  qwen: { word: 1.02, wide: 0.97, symbol: 1.03, space: 1.05, digits: 1.01, areDigitsAlone: true },
  deepseek: { word: 1.15, wide: 0.95, symbol: 1.03, space: 1, digits: 1.03, areDigitsAlone: false },
  mistral: { word: 1.25, wide: 1.3, symbol: 0.95, space: 1, digits: 1.05, areDigitsAlone: true },
  other: { word: 1.45, wide: 1.5, symbol: 1.05, space: 1.4, digits: 1.05, areDigitsAlone: true },
};

export function isEstimatedFamily(id: string): id is EstimatedFamily {
  return Object.hasOwn(factors, id);
}

/**
 * A tokenizer that estimates a family's counts from those of o200k_base, told apart by script: what costs one family two
 * tokens costs another one. `calibration` is a factor that was found from what a provider reported.
 */
export function estimatedTokenizer(encoding: Encoding, family: EstimatedFamily, calibration?: number): Tokenizer {
  const { pieceEnd, countPiece } = encoding;
  const { word, wide, symbol, space, digits, areDigitsAlone } = factors[family];

  const least = Math.min(word, wide, symbol, space, digits) * (calibration ?? 1);

  function weightAt(text: string, start: number, end: number): number {
    if (text.charCodeAt(start) >= 0x80 || (end > start + 1 && text.charCodeAt(start + 1) >= 0x80)) return wide;
    const first = classAt(text, start);
    const kind = end > start + 1 && !(first & (LETTER | NUMBER)) ? first | classAt(text, start + 1) : first;
    if (kind & NUMBER) return digits;
    if (kind & (LETTER | MARK)) return word;
    return kind & ~(SPACE | NEWLINE) ? symbol : space;
  }

  return {
    id: calibration === undefined ? family : `${family}@${calibration}`,
    exactness: calibration === undefined ? "estimated" : "calibrated",
    count(text) {
      let tokens = 0;
      for (let start = 0; start < text.length;) {
        const end = pieceEnd(text, start);
        const isNumber = areDigitsAlone && (classAt(text, start) & NUMBER) !== 0;
        tokens += weightAt(text, start, end) * (isNumber ? end - start : countPiece(text, start, end));
        start = end;
      }
      return Math.ceil(tokens * (calibration ?? 1));
    },
    atLeast: (text) => Math.floor(minCount(text) * least),
  };
}
