// What a character is to the split rules, as far as ASCII goes.
const OTHER = 0;
const LETTER = 1;
const DIGIT = 2;
const SIGN = 3;
const APOSTROPHE = 4;
/** Beyond ASCII: may belong to its neighbours, so that it never starts a piece. */
const ANY = 5;

/** What has been read last. */
const states = [
  "other",
  "letters",
  "1 digit",
  "2 digits",
  "3 digits",
  "sign",
  "signs",
  "apostrophe",
  "signs'",
  "any",
] as const;
type State = (typeof states)[number];

/** The next state, and whether a piece has begun that no earlier one can hold. */
function step(state: State, next: number): readonly [State, boolean] {
  const isAfterApostrophe = state === "apostrophe" || state === "signs'";
  switch (next) {
    case LETTER:
      return ["letters", state !== "letters" && state !== "any" && !isAfterApostrophe];
    case DIGIT:
      if (state === "1 digit") return ["2 digits", false];
      if (state === "2 digits") return ["3 digits", false];
      return ["1 digit", state !== "any"];
    case SIGN:
    case APOSTROPHE:
      // Signs behind something unknown are part of its run.
      if (state === "any") return ["any", false];
      if (state === "signs" || state === "signs'") return [next === SIGN ? "signs" : "signs'", false];
      if (state === "sign" || state === "apostrophe") return [next === SIGN ? "signs" : "signs'", true];
      return [next === SIGN ? "sign" : "apostrophe", false];
    default:
      return [next === ANY ? "any" : "other", false];
  }
}

// One look at a table for each character: eight cells a state, each with the next state's first cell and the piece.
const table = new Uint8Array(states.length * 8);
for (const [index, state] of states.entries()) {
  for (let next = OTHER; next <= ANY; next += 1) {
    const [after, isNew] = step(state, next);
    table[index * 8 + next] = (states.indexOf(after) << 4) | (isNew ? 1 : 0);
  }
}

const classes = new Uint8Array(128);
for (let code = 0x21; code < 0x7f; code += 1) {
  const character = String.fromCharCode(code);
  classes[code] = /[a-z]/i.test(character) ? LETTER : /\d/.test(character) ? DIGIT : SIGN;
}
classes["'".charCodeAt(0)] = APOSTROPHE;
// Line ends may take slashes with them.
classes["/".charCodeAt(0)] = OTHER;

/**
 * Lower bound of a text's tokens in the vocabularies whose split rules we know: no piece holds letters on both sides
 * of a space or sign (but for 's and its like), more than three digits, or letters behind two signs. Ten times faster than
 * a count, to see that something is far too long.
 */
export function minCount(text: string): number {
  let pieces = 0;
  let state = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    const cell = table[state + (code < 128 ? (classes[code] as number) : ANY)] as number;
    pieces += cell & 1;
    state = cell >> 1;
  }
  return pieces;
}
