/** An item of the Agents SDK. */
export type Item = Readonly<Record<string, unknown>>;

/** The SDK's own items behind one that was made of them. */
const source = Symbol("source");
type Converted = Item & { readonly [source]?: readonly Item[] };

/** The SDK's items as those of OpenAI's Responses, and back. */
export function itemUnits(): { read(items: readonly Item[]): Item[]; write(item: object): readonly Item[] } {
  // By the last item of a unit, so that what was read once is the same object again.
  const known = new WeakMap<Item, Converted>();
  const written = new WeakMap<Item, readonly Item[]>();
  const unitOf = (items: readonly Item[]): Converted => {
    const last = items.at(-1) as Item;
    const before = known.get(last);
    if (before?.[source]?.length === items.length && before[source].every((each, index) => each === items[index]))
      return before;
    const own = items.length === 1 ? last : { role: "user", content: items.flatMap(({ content }) => partsOf(content)) };
    const item: Converted = { ...asResponses(own), [source]: items };
    known.set(last, item);
    return item;
  };
  return {
    read(items) {
      const units: Item[] = [];
      for (let from = 0, to = 0; from < items.length; from = to) {
        const first = items[from] as Item;
        to = from + 1;
        if (isUser(first)) while (to < items.length && isUser(items[to] as Item)) to += 1;
        const before = to === from + 1 ? known.get(first) : undefined;
        units.push(before?.[source]?.length === 1 ? before : unitOf(items.slice(from, to)));
      }
      return units;
    },
    write(item: Converted) {
      const own = item[source];
      const { output, call_id: callId } = item;
      if (own) {
        if (known.get(own.at(-1) as Item) === item) return own;
        const before = written.get(item) ?? [{ ...own[0], output }];
        written.set(item, before);
        return before;
      }
      if (item["type"] !== "function_call_output") return [item];
      return [{ type: "function_call_result", name: "unknown", callId, status: "completed", output }];
    },
  };
}

/**
 * Whether OpenAI keeps the conversation (`conversationId`, `previousResponseId`): then the input of a call is what is new,
 * results without the calls that they answer, and nothing that the model said.
 */
export function isContinuation(items: readonly Item[]): boolean {
  return items.some(isResult) && items.every((item) => isResult(item) || isUser(item));
}

export function isResult({ type }: Item): boolean {
  return typeof type === "string" && /_(?:result|output)$/.test(type);
}

function isUser({ role }: Item): boolean {
  return role === "user";
}

function partsOf(content: unknown): readonly Item[] {
  return typeof content === "string" ? [{ type: "input_text", text: content }] : ((content ?? []) as readonly Item[]);
}

function asResponses(item: Item): Item {
  const { type, callId, output, content } = item;
  switch (type) {
    case "function_call":
      return { ...item, call_id: callId };
    case "function_call_result":
      return { type: "function_call_output", call_id: callId, output: textOf(output) };
    case "reasoning":
      return { type, id: item["id"], summary: content };
    case "message":
    case undefined:
      return { role: item["role"], content: typeof content === "string" ? content : partsOf(content).map(asPart) };
    default:
      return { ...item, type: String(type).replace(/_result$/, "_output") };
  }
}

function asPart(part: Item): Item {
  const { type, image, file } = part;
  if (type === "input_image") return { type, image_url: typeof image === "string" ? image : "", file_id: idOf(image) };
  if (type === "input_file" && file !== undefined)
    return { type, file_data: typeof file === "string" ? file : ((file as Item)["url"] ?? ""), file_id: idOf(file) };
  return typeof part["text"] === "string" || "refusal" in part
    ? part
    : { type: "input_text", text: JSON.stringify(part) };
}

function idOf(file: unknown): unknown {
  return typeof file === "object" && file !== null ? (file as Item)["id"] : undefined;
}

function textOf(output: unknown): string {
  if (typeof output === "string") return output;
  const text = typeof output === "object" && output !== null ? (output as Item)["text"] : undefined;
  return typeof text === "string" ? text : JSON.stringify(output ?? "");
}
