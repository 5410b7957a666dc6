import fc from "fast-check";
import { expect, test } from "vitest";
import { groupedHistory, runs } from "../../model/testing/history.ts";
import { loadTokenizer } from "../../tokens/counters/load-tokenizer.ts";
import {
  assistant,
  chinese,
  conversation,
  countTokens,
  earlier,
  requestFor,
  toolCall,
  toolResult,
  user,
} from "../testing/compactor-fixture.ts";
import { compactorContract } from "../testing/compactor-contract.ts";
import { extractiveCompactor } from "./extractive-compactor.ts";

compactorContract("extractive", extractiveCompactor);

const compact = (...args: Parameters<typeof requestFor>): Promise<string> =>
  extractiveCompactor().compact(requestFor(...args));

test("[F9] the summary of a conversation reads well", async () => {
  expect(await compact(conversation, { previousSummary: earlier.summary })).toMatchInlineSnapshot(`
    "Earlier:
    - The team agreed on the code name Bluefin.
    - The budget was 48000 EUR.
    Requests:
    - user: We are building the billing service for Nordwind. The project owner is Maria Keller.
    Decisions and requirements:
    - user: We decided to use PostgreSQL and not MongoDB. Invoices must be kept for 3650 days.
    Facts:
    - assistant: The retry policy stands in services/billing/src/retry-policy.ts and uses a backoff.
    Tool calls:
    - read_file(path: services/billing/src/retry-policy.ts) → export const retryPolicy = { strategy: backoff }; … (769 characters)
    Open questions:
    - assistant: Shall refunds need a second approval?"
  `);
});

test("[F9] the summary of a Chinese conversation is in Chinese", async () => {
  expect(await compact(chinese.messages)).toMatchInlineSnapshot(`
    "请求：
    - user: 我们在做一个计费系统。负责人是王小明。
    决定与要求：
    - user: 我们决定使用开源数据库，发票必须保存3650天。今天天气不错。
    未决问题：
    - assistant: 退款需要二次审批吗？"
  `);
});

test("[F2] the same request gives the same bytes, and never too many of them", async () => {
  const law = fc.asyncProperty(groupedHistory, fc.nat(120), fc.string(), async (groups, maxTokens, previousSummary) => {
    const request = requestFor(groups.flat(), { maxTokens, previousSummary });
    const summary = await extractiveCompactor().compact(request);
    expect(countTokens(summary)).toBeLessThanOrEqual(maxTokens);
    expect(await extractiveCompactor().compact(request)).toBe(summary);
  });
  await fc.assert(law, runs);
});

test.each([0, 5, 20, 60, 120, 300])("[F9] %i tokens are kept with an exact tokenizer too", async (maxTokens) => {
  const tokenizer = await loadTokenizer("o200k_base");
  const count = (text: string): number => tokenizer.count(text);
  const messages = [...conversation, ...chinese.messages];
  const summary = await extractiveCompactor().compact({ messages, maxTokens, countTokens: count });
  expect(count(summary)).toBeLessThanOrEqual(maxTokens);
  expect(summary === "").toBe(maxTokens < 20);
});

test("[F9] small talk leaves nothing", async () => {
  expect(await compact([user("Hi!"), assistant("Hello."), user("Thanks, bye")])).toBe("");
});

test("[F9] of equally important lines the oldest goes first, and the most important one stays", async () => {
  const messages = [user("The first port is 8080."), user("Use TLS always."), user("The other port is 9090.")];
  const whole = await compact(messages);
  const kept: string[] = [];
  for (let maxTokens = countTokens(whole); maxTokens > 0; maxTokens -= 1) {
    const summary = await compact(messages, { maxTokens });
    kept.push(["8080", "TLS", "9090"].filter((word) => summary.includes(word)).join(" "));
  }
  // In the end a line that is less important but shorter takes the room that is left.
  expect([...new Set(kept)]).toEqual(["8080 TLS 9090", "TLS 9090", "TLS", "9090", ""]);
});

test("[F9] compacting again adds nothing that is there already", async () => {
  const once = await compact(conversation);
  expect(await compact(conversation, { previousSummary: once })).toBe(once);
});

test("[F9] a question that was answered is not open, one that was put off is", async () => {
  const answered = [assistant("Which region shall it be?"), user("Frankfurt, please, in the eu-central zone.")];
  expect(await compact(answered)).not.toContain("Open questions");
  const checked = [user("Why does it fail?"), assistant("Let me check."), assistant("The disk is full.")];
  expect(await compact(checked)).not.toContain("Open questions");
  const putOff = [assistant("Which region shall it be?"), user("I don't know yet.")];
  const open = "Open questions:\n- assistant: Which region shall it be? (put off)";
  expect(await compact(putOff)).toBe(open);
  expect(await compact([user("Look at the logs first.")], { previousSummary: open })).toContain(open);
});

test("[F9] a carried question is settled by the answer that comes first", async () => {
  const asked = await compact([user("Set up the 2 servers."), assistant("Which region shall it be?")]);
  expect(asked).toContain("Open questions");
  const settled = await compact([user("Use Frankfurt.")], { previousSummary: asked });
  expect(settled).not.toContain("Open questions");
  expect(settled).toContain("Which region");
});

test("[F9] each tool call is one line, with what came of it", async () => {
  const denied = { type: "execution-denied", reason: "too risky" } as const;
  const summary = await compact([
    toolCall("read_file", { path: "a/b.ts", range: [1, 20] }),
    toolResult("read_file", "first line\nsecond line"),
    toolCall("shell", { command: "npm test" }),
    { role: "tool", content: [{ type: "tool-result", toolCallId: "call_0", toolName: "shell", output: denied }] },
    toolCall("stop", {}),
  ]);
  expect(summary.split("\n")).toEqual([
    "Tool calls:",
    "- read_file(path: a/b.ts, range: 1, range: 20) → first line … (22 characters)",
    "- shell(command: npm test) → error: denied: too risky",
    "- stop()",
  ]);
});

test("[F9] errors, paths and numbers of tool results are found at both ends of a long one", async () => {
  const noise = "all quiet here\n".repeat(100_000);
  const value = `${noise}TypeError: x is not a function\n    at src/deep/place.ts:41:7\n`;
  const summary = await compact([toolCall("shell", { command: "npm test" }), toolResult("shell", value)]);
  expect(summary).toContain("TypeError: x is not a function");
  expect(summary).toContain("src/deep/place.ts:41:7");
});

test("[F9] what failed and what was said to it are one line, which the next summary carries on", async () => {
  const shell = toolCall("shell", { command: "npm test" });
  const failed = toolResult("shell", "run 4\nTypeError: x is not a function\n    at src/deep/place.ts:41:7\n");
  const pair = "Errors:\n- shell: TypeError: x is not a function → assistant: Only the old importer gives no x.";
  const said = [shell, failed, assistant("Only the old importer gives no x."), assistant("Let me mend it.")];
  const summary = await compact(said, { maxTokens: 60 });
  expect(summary).toContain(pair);
  expect(await compact([user("Thanks.")], { previousSummary: summary })).toContain(pair);
});

test("[F9] code that handles failures, and what says that there was none, tells of no error", async () => {
  const lines = ["  if (!file) throw new Error(message);", "12→  } catch (error) {", "a.ts:9:  const failed = 1;"];
  const value = Array.from({ length: 90 }, (_, line) => lines[line % 3]).join("\n");
  const read = [toolCall("read", { path: "a" }), toolResult("read", `${value}\nFound 0 errors.`)];
  const summary = await compact(read, { maxTokens: 40 });
  expect(summary).not.toContain("Errors:");
});

test("[F9] what a model proposed is decided when a person agrees; what it is about to do is not", async () => {
  const proposed = [user("So where do we round?"), assistant("We should round once, on the total.")];
  const agreed = "Decisions and requirements:\n- agreed: We should round once, on the total.";
  expect(await compact([...proposed, user("fine by me")])).toContain(agreed);
  expect(await compact([user("Next one."), assistant("Now I should fix the loader.")])).not.toContain("Decisions");
});

test("[F9] of what failed, how much it was says less than what it was", async () => {
  const printed = ["Error: the ledger is locked", "FAIL src/ledger 0.4s", "Tests: 1 failed, 3 passed"];
  const messages = [toolCall("shell", { command: "npm test" }), toolResult("shell", printed.join("\n"))];
  const summary = await compact([...messages, assistant("Another process holds it open.")], { maxTokens: 40 });
  expect(summary).toBe("Errors:\n- shell: Error: the ledger is locked → assistant: Another process holds it open.");
});

test("[F9] times and places do not make one failure more than another", async () => {
  const printed = "2026-03-18 02:14:55 ERROR src/api/pool.ts Worker_7 failed";
  const messages = [
    toolCall("shell", { command: "ls" }),
    toolResult("shell", printed),
    user("Use `zip` for the 3 logs."),
  ];
  expect(await compact(messages, { maxTokens: 22 })).toContain("zip");
});

test("[F9] what people want to be kept to ranks before what they want to be done next", async () => {
  const said = [user("Tests only without the network from here."), user("Please list the 3 oldest mailers there.")];
  expect(await compact(said, { maxTokens: 18 })).toContain("without the network");
});

test("[F9] what is announced is told with what announces it", async () => {
  const list = ["We settled on this:", "tabs everywhere", "no trailing commas"];
  const told = "- agreed: We settled on this: tabs everywhere no trailing commas";
  expect(await compact([assistant(list.join("\n- ")), user("ok")])).toContain(told);
  const mistake = "My mistake. The second column is the width.";
  expect(await compact([assistant(mistake)])).toBe(`Errors:\n- assistant: ${mistake}`);
});

test("[F9] what a model asks and goes on from is not open", async () => {
  const asked = assistant("Why does the page fail with these settings?");
  expect(await compact([asked])).toContain("Open questions");
  expect(await compact([asked, assistant("It has no title.")])).not.toContain("Open questions");
});

test("[F9] two Chinese signs are about one word, and 一个 is an article", async () => {
  expect(await compact([user("好的，下一个，路由")])).toBe("");
  expect(await compact([user("下一个，路由"), user("端口不要改")], { maxTokens: 14 })).toContain("端口不要改");
  const decided = "那地址我们就不拆了，整段保留，等那边的接口批下来再说。";
  expect(await compact([assistant(decided), user("可以")])).toContain(`agreed: ${decided}`);
});

test("[F9] a short message of a person stays in one piece", async () => {
  const said = "btw my boss hates boxes. whatever you build, make it a list";
  expect(await compact([user(said)])).toBe(`Requests:\n- user: ${said}`);
});

test("[F9] of results with much that failed the newest tell it, also in the middle of a line without end", async () => {
  const quiet = "all is well here and goes on ".repeat(60);
  const results = Array.from({ length: 40 }, (_, index) => [
    toolCall("shell", { command: `run ${index}` }),
    toolResult("shell", `${quiet}then job ${index} failed at step 7 ${quiet}`),
  ]).flat();
  const summary = await compact(results, { maxTokens: 200 });
  expect(summary).toMatch(/Errors:[^]*job 39 failed at step 7/u);
  expect(summary).not.toContain("job 30 failed");
});

test.each([
  ["We agreed to ship on Friday.", "Decisions"],
  ["Das Protokoll muss verschlüsselt sein.", "Decisions"],
  ["Il faut garder les journaux.", "Decisions"],
  ["データベースは必ずバックアップしてください。", "Decisions"],
  ["Сервер должен работать ночью.", "Decisions"],
  ["The build failed again.", "Errors"],
  ["It is still unclear who pays.", "Open questions"],
])("[F9] %s → %s", async (text, section) => {
  expect(await compact([assistant(text)])).toMatch(new RegExp(`^${section}.*\n- assistant: ${text}$`, "u"));
});
