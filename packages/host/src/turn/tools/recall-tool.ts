import {
  GalleyError,
  type RecallAnswer,
  type RecallRequest,
  loadTokenizer,
  recallSteps,
  recallToolName,
  tokenAccount,
} from "@galley/engine";
import * as z from "zod";
import { recallTerms } from "../../chat/find-in-chat.ts";
import { runInSlices } from "../../limits/in-slices.ts";
import { defineTool } from "../../tools/define-tool.ts";
import type { Tool } from "../../tools/tool.ts";
import { toldBriefly } from "../../tools/tool-specs.ts";
import type { RecallLog, RecallSource } from "./recall-source.ts";

// What a schema refuses ends as an error of the tool; what can be answered in words is [R2].
const fields = {
  handle: z.string().optional(),
  query: z.string().optional(),
  max_tokens: z.number().optional(),
};
const schema = toldBriefly(z.object({ ...fields, scope: z.enum(["archives"]).optional() }));
const answerSchema = z.object({ text: z.string(), next: z.string().optional() });
/** Where logs of attached agents can be asked for, a tag is a scope as well [L7]. */
const taggedSchema = toldBriefly(z.object({ ...fields, scope: z.string().optional() }));

/**
 * What is asked for: by handle, or by words; with the scope "archives" of the archives of the same chat too, with a tag of the
 * one log that it opens.
 */
export interface RecallQuestion extends RecallRequest {
  readonly scope?: string | undefined;
}

/** The tool by which a model reads what left its window [R2]. */
export function recallTool(source: RecallSource): Tool {
  return defineTool({
    name: recallToolName,
    rpcMethod: "context.recall",
    title: "Recall",
    description: source.tagged
      ? "Read topics that were put away, or what a reminder names: by query, or by handle (c_…§1, §tag-12). scope: a tag."
      : "Read what left your context, by handle (§12) or query.",
    inputSchema: source.tagged ? taggedSchema : schema,
    outputSchema: answerSchema,
    annotations: { readOnlyHint: true, openWorldHint: false, idempotentHint: true },
    isRepeatable: true,
    execute: async (input) => {
      const { max_tokens: maxTokens, ...rest } = input;
      const { text, next } = await recallFrom(source, { ...rest, maxTokens });
      return { text, next };
    },
  });
}

const usualTokens = 2000;
/** An answer is of few logs, so that each has room for more than a line. */
const maxLogs = 5;

/** The same for every face: the answer is text that a model reads, and whatever cannot be given is said in it. */
export async function recallFrom(source: RecallSource, question: RecallQuestion): Promise<RecallAnswer> {
  const { handle, query, maxTokens = usualTokens, scope } = question;
  // A program that Galley does not run has its conversation elsewhere: what there is of it here are its topics [A7].
  const isClient = source.tagged !== undefined;
  const account = tokenAccount(await loadTokenizer("o200k_base"));
  const ask = (
    { prefix, tag, entries, window }: RecallLog,
    asked: { handle?: string | undefined; maxTokens: number },
  ): Promise<RecallAnswer> =>
    runInSlices(
      recallSteps(
        entries,
        { query, ...asked },
        { account, termsOf: recallTerms, prefix, tag, window, isKept: isClient && tag === undefined },
      ),
    );
  const tagged = taggedHandle(handle);
  const tag = tagged?.tag ?? tagOf(scope);
  if (tag !== undefined) {
    const log = (await source.tagged?.(tag)) ?? "unknown";
    if (typeof log === "string") return { text: noLog(tag, log), found: [] };
    return ask(log, { handle: tagged?.handle ?? handle, maxTokens });
  }
  const [, id, inside] = /^\s*([\w-]+)\s*(§.*)$/u.exec(handle ?? "") ?? [];
  const active = await source.active();
  if (id !== undefined) {
    const [beside] = [...(await resultsIn(source, active, id)), ...(await archivesOf(source, { contextId: id }))];
    if (beside) return ask(beside, { handle: inside, maxTokens });
    const instead = "Handles of this conversation look like §12; a query of a few words finds them.";
    return { text: `There is no archived context or result ${id.slice(0, 40)} here. ${instead}`, found: [] };
  }
  if (handle !== undefined || !query?.trim()) {
    const answer = await ask(active, { handle, maxTokens });
    if (handle === undefined || answer.found.length > 0 || active.loadedFrom === undefined) return answer;
    // Of a context that was loaded in part, the rest has the same numbers in its archive.
    const [archive] = await archivesOf(source, { contextId: active.loadedFrom });
    const [there] = archive ? (await ask(archive, { handle, maxTokens })).found : [];
    if (!there || active.entries.some(({ id: known }) => known === there.entryId)) return answer;
    const asked = handle.trim();
    const whole = asked.startsWith("§") ? `${active.loadedFrom}${asked}` : there.handle;
    return { ...answer, text: `${asked} was not loaded with the rest of its context: ${whole} gives it back.` };
  }
  const archives = scope === "archives" || isClient ? await archivesOf(source, { query }) : [];
  const logs = [active, ...(await resultsIn(source, active)), ...archives];
  const all: { readonly log: RecallLog; readonly answer: RecallAnswer }[] = [];
  for (const log of logs) all.push({ log, answer: await ask(log, { maxTokens }) });
  const hits = all.filter(({ answer }) => answer.found.length > 0).slice(0, maxLogs);
  const room = Math.floor(maxTokens / hits.length);
  const answers: RecallAnswer[] = [];
  for (const { log, answer } of hits) answers.push(hits.length === 1 ? answer : await ask(log, { maxTokens: room }));
  const useful = answers.filter(({ found }) => found.length > 0);
  if (useful.length === 0) return ask(active, { maxTokens });
  return { text: useful.map(({ text }) => text).join("\n\n"), found: useful.flatMap(({ found }) => found) };
}

/** `§k7qf2m-12`, as the tag and the handle inside of its log. Digits alone are a range of this log, `§3-18`. */
function taggedHandle(handle = ""): { readonly tag: string; readonly handle: string } | undefined {
  const [, tag, inside] = /^\s*§?(?=\d*[a-z])([a-z\d]{4,12})\s*-\s*(§?\d.*)$/u.exec(handle) ?? [];
  if (tag === undefined || inside === undefined) return undefined;
  // Some write the tag on both sides of a range.
  return { tag, handle: inside.replaceAll(`${tag}-`, "") };
}

function tagOf(scope: string | undefined): string | undefined {
  return scope === undefined || scope === "archives" ? undefined : scope.trim().replace(/^§/u, "");
}

function noLog(tag: string, why: "unknown" | "replaced"): string {
  const shown = JSON.stringify(tag.slice(0, 20));
  if (why === "replaced") return `The log of the tag ${shown} was replaced or removed: it cannot be read any more.`;
  return `No log can be read by the tag ${shown}. Tags stand in the handles of reminders, as in §tag-12.`;
}

/** None where the store of tasks cannot be read: what is active can be all the same. */
async function resultsIn(source: RecallSource, active: RecallLog, taskId?: string): Promise<readonly RecallLog[]> {
  return (await source.results?.(active, taskId).catch(noneOnError)) ?? [];
}

function noneOnError(error: unknown): readonly RecallLog[] {
  if (error instanceof GalleyError) return [];
  throw error;
}

/** None where there is no such archive, or the search cannot be asked. */
function archivesOf(
  source: RecallSource,
  asked: Parameters<RecallSource["archives"]>[0],
): Promise<readonly RecallLog[]> {
  return source.archives(asked).catch(noneOnError);
}
