import type { Tokenizer } from "@galley/engine";

/** Counts until a vocabulary is loaded: four letters, or one character of a wide script, for a token. */
export const roughTokenizer: Tokenizer = {
  id: "characters",
  exactness: "estimated",
  count(text) {
    let narrow = 0;
    let wide = 0;
    for (let index = 0; index < text.length; index += 1) {
      if (text.charCodeAt(index) < 0x250) narrow += 1;
      else wide += 1;
    }
    return Math.ceil(narrow / 4 + wide);
  },
};
