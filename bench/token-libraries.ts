/** Counts the tokens of a text in o200k_base. */
export type Count = (text: string) => number;

// By a variable, or the compiler would look for the packages, which only `npm run bench` installs.
const load = async (name: string): Promise<unknown> => import(name);

/** Libraries that count o200k_base exactly, each by its fastest way to do so. */
export const tokenLibraries: Readonly<Record<string, () => Promise<Count>>> = {
  tiktoken: async () => {
    const { get_encoding } = (await load("tiktoken")) as {
      get_encoding: (name: string) => { encode_ordinary: (text: string) => { length: number } };
    };
    const encoding = get_encoding("o200k_base");
    return (text) => encoding.encode_ordinary(text).length;
  },
  "gpt-tokenizer": async () => {
    const { countTokens } = (await load("gpt-tokenizer/encoding/o200k_base")) as {
      countTokens: (text: string, options: object) => number;
    };
    const options = { allowedSpecial: new Set(), disallowedSpecial: new Set() };
    return (text) => countTokens(text, options);
  },
  "ai-tokenizer": async () => {
    const { Tokenizer } = (await load("ai-tokenizer")) as {
      Tokenizer: new (encoding: unknown) => { count: (text: string) => number };
    };
    const tokenizer = new Tokenizer(await load("ai-tokenizer/encoding/o200k_base"));
    return (text) => tokenizer.count(text);
  },
  "js-tiktoken": async () => {
    const { Tiktoken } = (await load("js-tiktoken/lite")) as {
      Tiktoken: new (ranks: unknown) => {
        encode: (text: string, allowed: string[], refused: string[]) => { length: number };
      };
    };
    const ranks = (await load("js-tiktoken/ranks/o200k_base")) as { readonly default: unknown };
    const encoding = new Tiktoken(ranks.default);
    return (text) => encoding.encode(text, [], []).length;
  },
};
