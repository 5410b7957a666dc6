/** Finds many keys in one pass over a text. */
export interface KeyMatcher {
  /** Calls `onHit` with the index of each key and where it stands; a key may be reported more than once. */
  scan(text: string, onHit: OnHit): void;
}

/** The text is the one that was read, or that one in lower case. */
type OnHit = (key: number, text: string, from: number, to: number) => void;

/** Longer keys are looked for alone: books have few of them, and each character would be a state. */
export const maxLength = 400;
/** How many numbers the table of transitions may have: eight megabytes. States near the root, where scans mostly are, come first. */
const maxCells = 1 << 21;

/**
 * An automaton of all keys (Aho and Corasick): each character of a text costs a look into a table, whatever the keys are and
 * however many. Keys are compared as they are, or, where they are in lower case and `isFolded`, with the text in lower case.
 */
export function keyMatcher(keys: readonly string[], isFolded = false): KeyMatcher {
  const { codes, parents, keyAt, depths } = treeOf(keys);
  const count = codes.length;
  if (count <= 1) return { scan() {} };
  const plain = new Uint16Array(65_536);
  let classes = 1;
  const own = codes.map((code, node) => {
    if (node > 0 && plain[code] === 0) plain[code] = classes++;
    return plain[code] as number;
  });
  const dense = Math.max(1, Math.min(count, Math.floor(maxCells / classes)));
  /** By row, one for each dense state, and class: the row of the next state. */
  const table = new Int32Array(dense * classes);
  const fails = new Int32Array(count);
  /** The nearest state, along the way of failures, at which a key ends; 0 where there is none. */
  const reports = new Int32Array(count);

  const childOf = edgesOf(parents, own);
  /** Where a state goes with a class. */
  const step = (from: number, wanted: number): number => {
    let state = from;
    while (state >= dense) {
      const child = childOf(state, wanted);
      if (child > 0) return child;
      state = fails[state] as number;
    }
    const cell = table[state * classes + wanted] as number;
    return (cell < 0 ? ~cell : cell) / classes;
  };

  // States are numbered by their depth: what a state needs of shallower ones is there, and the children of each come
  // behind those of the state before it.
  let next = 1;
  for (let state = 0; state < count; state += 1) {
    const parent = parents[state] as number;
    if (state > 0 && parent > 0) fails[state] = step(fails[parent] as number, own[state] as number);
    const fail = fails[state] as number;
    reports[state] = (keyAt[state] as number) >= 0 ? state : (reports[fail] as number);
    if (state >= dense) continue;
    const row = state * classes;
    if (state > 0) table.copyWithin(row, fail * classes, (fail + 1) * classes);
    for (; next < count && parents[next] === state; next += 1) table[row + (own[next] as number)] = next * classes;
  }

  /** Where keys end, the complement of the row stands for it, so that a scan need not look that up. */
  const rowOf = (state: number): number => ((reports[state] as number) > 0 ? ~(state * classes) : state * classes);
  for (let cell = 0; cell < table.length; cell += 1) table[cell] = rowOf((table[cell] as number) / classes);
  const report = (state: number, text: string, to: number, onHit: OnHit): void => {
    for (let at = reports[state] as number; at > 0; at = reports[fails[at] as number] as number)
      onHit(keyAt[at] as number, text, to - (depths[at] as number), to);
  };
  const stepRow = (row: number, wanted: number): number => rowOf(step(row / classes, wanted));
  return scanner({ plain, isFolded, classes, table, stepRow, report });
}

interface ScannerInput {
  /** By character, its class; 0 where no key has it. */
  readonly plain: Uint16Array;
  readonly isFolded: boolean;
  readonly classes: number;
  readonly table: Int32Array;
  /** The next row from one that the table does not have. */
  readonly stepRow: (row: number, wanted: number) => number;
  readonly report: (state: number, text: string, to: number, onHit: OnHit) => void;
}

function scanner({ plain, isFolded, classes, table, stepRow, report }: ScannerInput): KeyMatcher {
  const folded = isFolded ? lowerCodes().map((code) => (code === special ? special : (plain[code] as number))) : plain;
  const scan = (text: string, classOf: Uint16Array, onHit: OnHit): void => {
    const { length } = text;
    let row = 0;
    for (let at = 0; at < length; at += 1) {
      const found = classOf[text.charCodeAt(at)] as number;
      if (found === 0) {
        row = 0;
        continue;
      }
      if (found === special) {
        // Whatever was found before is found again.
        scan(text.toLowerCase(), plain, onHit);
        return;
      }
      row = row < table.length ? (table[row + found] as number) : stepRow(row, found);
      if (row < 0) {
        row = ~row;
        report(row / classes, text, at + 1, onHit);
      }
    }
  };
  return { scan: (text, onHit) => scan(text, folded, onHit) };
}

/** The child of a state by its class; 0 where there is none. A state may have thousands. */
function edgesOf(parents: Int32Array, classes: Uint16Array): (state: number, wanted: number) => number {
  const size = 2 ** Math.ceil(Math.log2(parents.length * 2 + 2));
  const children = new Int32Array(size);
  const slotOf = (state: number, wanted: number): number => {
    const mixed = Math.imul(state ^ Math.imul(wanted, 0x85_eb_ca_6b), 0x9e_37_79_b1);
    return (mixed ^ (mixed >>> 15)) & (size - 1);
  };
  for (let child = 1; child < parents.length; child += 1) {
    let slot = slotOf(parents[child] as number, classes[child] as number);
    while (children[slot] !== 0) slot = (slot + 1) & (size - 1);
    children[slot] = child;
  }
  return (state, wanted) => {
    for (let slot = slotOf(state, wanted); ; slot = (slot + 1) & (size - 1)) {
      const child = children[slot] as number;
      if (child === 0 || (classes[child] === wanted && parents[child] === state)) return child;
    }
  };
}

/** The keys as a tree: node 0 is the root, and nodes are numbered by their depth, children in the order of their parents. */
interface KeyTree {
  readonly parents: Int32Array;
  readonly depths: Uint16Array;
  /** The character that leads to each node. */
  readonly codes: Uint16Array;
  /** The index of the key that ends there, or -1. */
  readonly keyAt: Int32Array;
}

function treeOf(keys: readonly string[]): KeyTree {
  const found = keys.flatMap((key, index) => (key === "" ? [] : [index]));
  const size = found.reduce((sum, index) => sum + (keys[index] as string).length, 1);
  const parents = new Int32Array(size);
  const depths = new Uint16Array(size);
  const codes = new Uint16Array(size);
  const keyAt = new Int32Array(size).fill(-1);
  const nodeOf = new Int32Array(keys.length);
  let count = 1;
  // One character of every key after the other: sorted keys that share a beginning are neighbours.
  let level = found.toSorted((a, b) => ((keys[a] as string) < (keys[b] as string) ? -1 : 1));
  for (let depth = 0; level.length > 0; depth += 1) {
    let last = 0;
    for (const index of level) {
      const key = keys[index] as string;
      const parent = nodeOf[index] as number;
      const code = key.charCodeAt(depth);
      if (last === 0 || parents[last] !== parent || codes[last] !== code) {
        last = count;
        count += 1;
        parents[last] = parent;
        depths[last] = depth + 1;
        codes[last] = code;
      }
      nodeOf[index] = last;
      if (depth === key.length - 1) keyAt[last] = index;
    }
    level = level.filter((index) => (keys[index] as string).length > depth + 1);
  }
  return {
    parents: parents.subarray(0, count),
    depths: depths.subarray(0, count),
    codes: codes.subarray(0, count),
    keyAt: keyAt.subarray(0, count),
  };
}

/** In a table of cases: the text has to be put into lower case as a whole. */
export const special = 0xff_ff;

/** Leading halves of characters that may have a case. */
const casedHalves = [0xd8_01, 0xd8_03, 0xd8_06, 0xd8_1b, 0xd8_3a];
/** No letter here has a case: Han, Kana and Hangul, and what lies around them. */
const caseless: readonly (readonly [number, number])[] = [
  [0x2e_00, 0xa6_3f],
  [0xac_00, 0xff_20],
];

let known: Uint16Array | undefined;

/**
 * By the code of a character, the code of its lower case, or `special` where that takes more than the character: it
 * becomes several, or another one at the end of a word, or an ASCII letter of something that is none.
 */
export function lowerCodes(): Uint16Array {
  if (known) return known;
  const codes = Uint16Array.from({ length: 65_536 }, (_, code) => code);
  for (let code = 0; code < codes.length; code += 1) {
    const skipped = caseless.find(([from]) => from === code);
    if (skipped) code = skipped[1] + 1;
    const lower = String.fromCharCode(code).toLowerCase();
    const isSpecial = lower.length !== 1 || (code > 127 && lower.charCodeAt(0) < 128) || code === 0x3_a3;
    codes[code] = isSpecial ? special : lower.charCodeAt(0);
  }
  for (const code of casedHalves) codes[code] = special;
  return (known = codes);
}
