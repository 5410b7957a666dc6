import { expect, test } from "vitest";
import { textOf } from "../../model/testing/history.ts";
import type { CompactionRequest, Compactor } from "./compactor.ts";
import { compactorPromises } from "../testing/compactor-contract.ts";

const everything = ({ messages, previousSummary = "" }: CompactionRequest): string =>
  previousSummary + JSON.stringify(messages);

let last = "";
const broken: Record<string, (request: CompactionRequest) => unknown> = {
  "a summary mentions the decision": () => "",
  "a summary carries on what the one before it said": ({ messages }) => JSON.stringify(messages),
  "what was decided first is not lost among a thousand messages": ({ messages }) => JSON.stringify(messages.slice(-5)),
  "a summary costs no more than 7 tokens": everything,
  "the input is not changed": ({ messages }) => {
    (messages as unknown[]).pop();
    return "";
  },
  "requests that run at the same time do not mix": (request) => (last += everything(request)),
  "no messages: no harm": () => undefined,
  "halves of surrogate pairs come in, none goes out": ({ messages }) => messages.map(textOf).join(""),
};

test.each(Object.entries(broken))("[F9] the contract sees it broken: %s", async (promise, compact) => {
  last = "";
  const liar: Compactor = { id: "liar", compact: async (request) => compact(request) as string };
  const entry = compactorPromises.find((candidate) => candidate.promise === promise);
  expect(entry).toBeDefined();
  await expect(entry?.check(liar)).rejects.toThrow(/expected|not extensible|Cannot/u);
});
