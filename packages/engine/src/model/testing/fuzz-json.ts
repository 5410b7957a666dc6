import type { Chance } from "./fuzz-chance.ts";
import { oddText, oddTexts, spoilText } from "./fuzz-texts.ts";

/** JSON as it is written, so that also what no value can be is said: a key twice, NaN, a number with 400 digits. */
type Node = Leaf | List | Fields;

interface Leaf {
  readonly kind: "leaf";
  readonly text: string;
}

interface List {
  readonly kind: "list";
  readonly items: Node[];
}

interface Fields {
  readonly kind: "fields";
  readonly fields: [key: string, value: Node][];
}

const leaf = (text: string): Leaf => ({ kind: "leaf", text });

function nodeOf(value: unknown): Node {
  if (Array.isArray(value)) return { kind: "list", items: value.map(nodeOf) };
  if (typeof value !== "object" || value === null) return leaf(JSON.stringify(value) ?? "null");
  return { kind: "fields", fields: Object.entries(value).map(([key, item]) => [key, nodeOf(item)]) };
}

function textOf(node: Node): string {
  switch (node.kind) {
    case "leaf":
      return node.text;
    case "list":
      return `[${node.items.map(textOf).join(",")}]`;
    case "fields":
      return `{${node.fields.map(([key, value]) => `${JSON.stringify(key)}:${textOf(value)}`).join(",")}}`;
  }
}

/** What was not asked for. The last few are not JSON. */
const oddLeaves: readonly string[] = [
  ..."null true false 0 -0 -1 1 2 1.5 1e308 -1e308 1e999 5e-324 9007199254740993 2147483648 -2147483649".split(" "),
  ...'"0" "-1" "1e3" "true" "null" [] {} [[]] [null] {"":""} {"length":3} {"toJSON":1}'.split(" "),
  '{"__proto__":{"polluted":true},"constructor":{"prototype":1}}',
  "9".repeat(400),
  `"${"x".repeat(70_000)}"`,
  ..."NaN Infinity undefined 01 'x' {,} /**/1".split(" "),
];

function oddLeaf(chance: Chance): Leaf {
  const choice = chance.below(12);
  if (choice === 0) {
    const depth = chance.pick([20, 100, 150, 199, 1000]);
    return chance.oneIn(2)
      ? leaf("[".repeat(depth) + "]".repeat(depth))
      : leaf('{"a":'.repeat(depth) + "1" + "}".repeat(depth));
  }
  return choice < 7 ? leaf(chance.pick(oddLeaves)) : leaf(JSON.stringify(oddText(chance)));
}

/** A place in a document that can be written to. */
interface Place {
  readonly parent: List | Fields;
  readonly index: number;
}

const maxPlaces = 20_000;

function placesOf(root: Node): Place[] {
  const places: Place[] = [];
  const open: Node[] = [root];
  for (let node = open.pop(); node && places.length < maxPlaces; node = open.pop()) {
    if (node.kind === "leaf") continue;
    const parent = node;
    const children = parent.kind === "list" ? parent.items : parent.fields.map(([, value]) => value);
    for (const [index, child] of children.entries()) {
      places.push({ parent, index });
      if (child.kind !== "leaf") open.push(child);
    }
  }
  return places;
}

function at({ parent, index }: Place): Node {
  return (parent.kind === "list" ? parent.items[index] : parent.fields[index]?.[1]) ?? leaf("null");
}

function put({ parent, index }: Place, node: Node): void {
  if (parent.kind === "list") parent.items[index] = node;
  else {
    const field = parent.fields[index];
    if (field) field[1] = node;
  }
}

/** A copy, because a node that stands in two places would be spoilt in both. */
function copyOf(node: Node): Node {
  switch (node.kind) {
    case "leaf":
      return node;
    case "list":
      return { kind: "list", items: node.items.map(copyOf) };
    case "fields":
      return { kind: "fields", fields: node.fields.map(([key, value]) => [key, copyOf(value)]) };
  }
}

/** Another value for what stood here; texts and numbers stay what they are as often as not. */
function spoilNode(node: Node, chance: Chance): Node {
  if (node.kind === "leaf" && node.text.startsWith('"') && chance.oneIn(2)) {
    return leaf(JSON.stringify(spoilText(JSON.parse(node.text) as string, chance)));
  }
  if (node.kind === "leaf" && /^-?\d/.test(node.text) && chance.oneIn(2)) {
    const number = Number(node.text);
    return leaf(String(chance.pick([number + 1, number - 1, -number, number / 3, number * 1e6])));
  }
  return oddLeaf(chance);
}

function change(root: Node, chance: Chance): Node {
  const places = placesOf(root);
  if (places.length === 0) return chance.oneIn(2) ? oddLeaf(chance) : { kind: "list", items: [root] };
  const place = chance.pick(places);
  const { parent, index } = place;
  switch (chance.below(10)) {
    case 0:
      if (parent.kind === "list") parent.items.splice(index, 1);
      else parent.fields.splice(index, 1);
      break;
    case 1: {
      // A key twice, or an item many times.
      const again = copyOf(at(place));
      if (parent.kind === "fields")
        parent.fields.splice(index, 0, [parent.fields[index]?.[0] ?? "", spoilNode(again, chance)]);
      else parent.items.push(...Array.from({ length: chance.pick([1, 2, 30]) }, () => copyOf(again)));
      break;
    }
    case 2: {
      const field = parent.kind === "fields" ? parent.fields[index] : undefined;
      if (field) field[0] = chance.oneIn(2) ? chance.pick(oddTexts) : spoilText(field[0], chance);
      else put(place, oddLeaf(chance));
      break;
    }
    case 3:
      put(place, { kind: "list", items: [at(place)] });
      break;
    case 4:
      put(place, { kind: "fields", fields: [[chance.pick(oddTexts), at(place)]] });
      break;
    case 5: {
      // What stands somewhere else in the document is of the wrong type here more often than not.
      const other = copyOf(at(chance.pick(places)));
      if (textOf(other).length < 100_000) put(place, other);
      break;
    }
    default:
      put(place, spoilNode(at(place), chance));
  }
  return root;
}

/** The document as JSON with one to four things wrong in it. It need not be JSON any more. */
export function spoilJson(value: unknown, chance: Chance): string {
  let root = nodeOf(value);
  for (let left = 1 + chance.below(4); left > 0; left -= 1) root = change(root, chance);
  return textOf(root);
}
