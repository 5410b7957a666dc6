/** With fewer words nothing is asked for, whatever greeting or thanks stand before them. */
const fewWords = 4;
/** As many as a thought of its own takes. */
const manyWords = 7;
/** Greetings, thanks and praise, which say nothing themselves. */
const courtesies =
  /^(?:(?:hi|hello|hey|thanks|thank you|ok|okay|yes|yep|yeah|no|sure|great|good|fine|nice|cool|perfect|agreed|sounds good|do it|go ahead|please|danke|hallo|merci|bonjour|gracias|hola|👍|你好|您好|谢谢|辛苦了?|不错|好的?|嗯+|对|行|是的|可以|同意|没问题)(?!\p{L}{3})[\s,，.。!！~～、;；]*)+/iu;
const maxCourtesy = 24;

const agreement =
  /^(?:ok|okay|yes|yep|yeah|sure|fine|good|great|perfect|agreed|sounds good|works for me|do it|go ahead|go for it|deal|let's do that|👍|✅|ja|oui|sí|да|好|行|对|嗯|可以|同意|没问题|就这样|就这么|是的)(?!\p{L}{3})[^?？]*$/iu;

const intention =
  /^(?:(?:now|ok|okay|good|great|perfect|next|first|then|so|and|but)[,.!]? )*(?:let me|let's|i'll|i will|i need to|i should|i'm going to|i am going to|i want to)(?![a-z])|^(?:好的?[，。])?(?:现在|接下来|下面|先)?(?:让我|我来|我先|我去|我再)/iu;

/** "Yes, do it" agrees to what was said before, and says nothing itself. */
export function isCourtesy(text: string): boolean {
  return text.length <= maxCourtesy && courtesies.test(text) && !isSubstantial(text);
}

/** A reply that says no more than yes. */
export function agrees(reply: string): boolean {
  return reply.length <= maxCourtesy && agreement.test(reply);
}

/** What a model is about to do is neither decided nor found: it is done next. */
export function isIntention(text: string): boolean {
  return intention.test(text);
}

/** True for a text of some words, which no program put there. */
export function isSubstantial(text: string): boolean {
  if (text.startsWith("<")) return false;
  return hasManyWords(text) || wordsIn(behindCourtesy(text)) >= fewWords;
}

function behindCourtesy(text: string): string {
  return text.replace(courtesies, "");
}

export function hasManyWords(text: string): boolean {
  return wordsIn(text) >= manyWords;
}

const signs = /\p{Script=Han}|\p{Script=Hiragana}/gu;
const lettered = /(?:(?!\p{Script=Han}|\p{Script=Hiragana})\p{L})+/gu;

/** In scripts that put no spaces between words, two signs are about one. */
function foreignWords(text: string): number {
  const count = (pattern: RegExp): number => text.match(pattern)?.length ?? 0;
  return Math.ceil(count(signs) / 2) + count(lettered);
}

/** How many words there are. It ends where enough were counted: nearly all requests have them, in ASCII. */
function wordsIn(text: string): number {
  let words = 0;
  let isInWord = false;
  for (let index = 0; index < text.length && words < manyWords; index += 1) {
    const code = text.charCodeAt(index);
    if (code > 0x7f) {
      return foreignWords(text);
    }
    const isLetter = (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a;
    if (isLetter && !isInWord) words += 1;
    isInWord = isLetter;
  }
  return words;
}
