import { composeChinese } from "./compose-chinese.ts";
import { composeEnglish } from "./compose-english.ts";
import { dictionary } from "./dictionary.ts";

export const composeText = dictionary({ en: composeEnglish, zh: composeChinese });
