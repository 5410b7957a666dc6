import * as fc from "fast-check";
import { runs } from "../../model/testing/history.ts";
import type {
  AssistantPart,
  ModelMessage,
  ToolCallPart,
  ToolResultOutput,
  ToolResultPart,
  UserPart,
} from "../../model/messages.ts";

/** Runs of each property. */
export const propertyRuns = runs.numRuns;

export const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
export const pdf = "JVBERi0xLjQKJcfs";

export interface Conversation {
  readonly messages: readonly ModelMessage[];
  /** Texts that must come out again, each exactly once. */
  readonly marks: readonly string[];
  /** Marks of a call's input and of its result. */
  readonly pairs: readonly (readonly [call: string, result: string])[];
}

// A piece of a conversation that still wants its marks: texts that are found again on the wire.
type Marker = () => string;
type Group = (mark: Marker, pairs: [string, string][]) => ModelMessage[];

const space = fc.constantFrom("", " ", "\n", " \t\n");
const words = fc.constantFrom("hello", "你好", "💥", "</system>", '"quoted"', "x".repeat(50));
const id = fc.oneof(
  fc.constantFrom("a", "a", "b", "a_2", "call_1", "", "call", "strange id/é:1", "y".repeat(90), `${"y".repeat(90)}z`),
  fc.string({ maxLength: 8 }),
);
const toolName = fc.constantFrom("search", "read_file", "run");

type Made<Value> = (mark: Marker) => Value;

const text: fc.Arbitrary<Made<string>> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(space, words, space).map(
      ([a, b, c]) =>
        (mark: Marker) =>
          `${a}${b} ${mark()}${c}`,
    ),
  },
  { weight: 1, arbitrary: space.map((blank) => () => blank) },
);

const media: fc.Arbitrary<UserPart> = fc.constantFrom<UserPart>(
  { type: "image", image: png },
  { type: "image", image: `data:image/png;base64,${png}` },
  { type: "image", image: "https://example.com/a.png" },
  { type: "image", image: Uint8Array.from([137, 80, 78, 71, 13, 10, 26, 10]), mediaType: "image/png" },
  { type: "file", data: { type: "data", data: png }, mediaType: "image" },
  { type: "file", data: pdf, mediaType: "application/pdf", filename: "a.pdf" },
  { type: "file", data: { type: "text", text: "notes" }, mediaType: "text/plain" },
);

const userPart: fc.Arbitrary<Made<UserPart>> = fc.oneof(
  {
    weight: 3,
    arbitrary: text.map((make) => (mark: Marker): UserPart => ({ type: "text", text: make(mark) })),
  },
  { weight: 1, arbitrary: media.map((part) => () => part) },
);

const user: fc.Arbitrary<Group> = fc.oneof(
  text.map((make): Group => (mark) => [{ role: "user", content: make(mark) }]),
  fc.array(userPart, { maxLength: 4 }).map((parts): Group => (mark) => [
    { role: "user", content: parts.map((part) => part(mark)) },
  ]),
);

const system: fc.Arbitrary<Group> = text.map((make): Group => (mark) => [{ role: "system", content: make(mark) }]);

const reasoning = fc.constantFrom<AssistantPart>(
  { type: "reasoning", text: "unsigned" },
  { type: "reasoning", text: "signed", providerOptions: { anthropic: { signature: "sig" } } },
  { type: "reasoning", text: "", providerOptions: { anthropic: { redactedData: "data" } } },
  { type: "reasoning", text: "one", providerOptions: { openai: { itemId: "rs_1", reasoningEncryptedContent: "e" } } },
  { type: "reasoning", text: "two", providerOptions: { openai: { itemId: "rs_2" } } },
  { type: "reasoning", text: "", providerOptions: { google: { thoughtSignature: "sig" } } },
  { type: "custom", kind: "openai.compaction" },
);

const aside: fc.Arbitrary<Made<AssistantPart[]>> = fc.oneof(
  text.map((make) => (mark: Marker): AssistantPart[] => [{ type: "text", text: make(mark) }]),
  reasoning.map((part) => (): AssistantPart[] => [part]),
  id.map((toolCallId) => (): AssistantPart[] => [
    { type: "tool-call", toolCallId, toolName: "web_search", input: {}, providerExecuted: true },
    { type: "tool-result", toolCallId, toolName: "web_search", output: { type: "json", value: [] } },
  ]),
);
const asides = fc.array(aside, { maxLength: 3 });

const assistant: fc.Arbitrary<Group> = fc.oneof(
  text.map((make): Group => (mark) => [{ role: "assistant", content: make(mark) }]),
  asides.map((parts): Group => (mark) => [{ role: "assistant", content: parts.flatMap((part) => part(mark)) }]),
);

const output: fc.Arbitrary<(said: string) => ToolResultOutput> = fc.constantFrom<(said: string) => ToolResultOutput>(
  (value) => ({ type: "text", value }),
  (value) => ({ type: "error-text", value }),
  (value) => ({ type: "json", value: { value, more: [1, null] } }),
  (value) => ({ type: "error-json", value }),
  (reason) => ({ type: "execution-denied", reason }),
  (value) => ({ type: "content", value: [{ type: "text", text: value }] }),
  (value) => ({
    type: "content",
    value: [
      { type: "text", text: "" },
      { type: "text", text: value },
      { type: "image-data", data: png, mediaType: "image/png" },
      { type: "custom" },
    ],
  }),
);

interface CallPlan {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly output: (said: string) => ToolResultOutput;
  /** Starts an assistant message of its own. */
  readonly splits: boolean;
  readonly aside: Made<AssistantPart[]>;
  /** What stands before the result. */
  readonly between: "nothing" | "system" | "assistant" | "new tool message";
  readonly rank: number;
}

const call: fc.Arbitrary<CallPlan> = fc.record({
  toolCallId: id,
  toolName,
  output,
  splits: fc.boolean(),
  aside,
  between: fc.constantFrom("nothing", "nothing", "system", "assistant", "new tool message"),
  rank: fc.nat(10),
});

function callGroup(plans: readonly CallPlan[]): Group {
  return (mark, pairs) => {
    const calls: ModelMessage[] = [];
    const results: { readonly plan: CallPlan; readonly part: ToolResultPart }[] = [];
    let parts: AssistantPart[] = [];
    for (const plan of plans) {
      const { toolCallId, toolName, output, splits, aside } = plan;
      const [asked, said] = [mark(), mark()];
      pairs.push([asked, said]);
      const part: ToolCallPart = { type: "tool-call", toolCallId, toolName, input: { asked } };
      if (splits || calls.length === 0) {
        parts = [];
        calls.push({ role: "assistant", content: parts });
      }
      parts.push(...aside(mark), part);
      results.push({ plan, part: { type: "tool-result", toolCallId, toolName, output: output(said) } });
    }
    results.sort((a, b) => a.plan.rank - b.plan.rank);
    return [...calls, ...results.flatMap(({ plan, part }) => answer(plan.between, part, mark))];
  };
}

function answer(between: CallPlan["between"], part: ToolResultPart, mark: Marker): ModelMessage[] {
  const tool: ModelMessage = { role: "tool", content: [part] };
  switch (between) {
    case "nothing":
    case "new tool message":
      return [tool];
    case "system":
      return [{ role: "system", content: mark() }, tool];
    case "assistant":
      return [{ role: "assistant", content: mark() }, tool];
  }
}

export interface ConversationOptions {
  /** Lets one turn use an id twice, where pairs are a matter of taste. */
  readonly reusesIdsInTurn: boolean;
}

/** Histories made of whole groups: everything in them has its partner, and nothing else about them is orderly. */
export function conversations({ reusesIdsInTurn }: ConversationOptions): fc.Arbitrary<Conversation> {
  const plans = reusesIdsInTurn
    ? fc.array(call, { minLength: 1, maxLength: 4 })
    : fc.uniqueArray(call, { minLength: 1, maxLength: 4, selector: ({ toolCallId }) => toolCallId });
  const group = fc.oneof(user, assistant, system, plans.map(callGroup));
  return fc.tuple(fc.array(group, { maxLength: 6 }), fc.array(group, { maxLength: 6 })).map(([before, after]) => {
    const marks: string[] = [];
    const pairs: [string, string][] = [];
    const mark: Marker = () => {
      marks.push(`⟦${marks.length}⟧`);
      return marks.at(-1) ?? "";
    };
    // At least one message says something: without any there is nothing to send.
    const groups: Group[] = [...before, (own) => [{ role: "user", content: `go on ${own()}` }], ...after];
    return { messages: groups.flatMap((make) => make(mark, pairs)), marks, pairs };
  });
}
