import { GalleyError, type TokenAccount, parseJson, tokenAccount, tokenizerForModel } from "@galley/engine";
import type { Command } from "commander";
import { onOneLine } from "../../../limits/short-text.ts";
import type { HandoverConfig } from "../../../handover/options/handover-config.ts";
import { authorityOf } from "../../../handover/pack/authority.ts";
import { type Caller, isPerson } from "../../../handover/options/caller.ts";
import { messagesOfCards, roleOf } from "../../../handover/cards/messages-of-cards.ts";
import { type PackedContext, packContext, packContextWithInstruction } from "../../../handover/pack/pack-context.ts";
import { summariseBox } from "../../../handover/cards/summarise-box.ts";
import type { Card, HydratedBox } from "../../../store/ports/card-store.ts";
import type { Store } from "../../../store/ports/ports.ts";
import { readText } from "../../input/files.ts";
import {
  type HandoverSession,
  type ConfigFlags,
  type StoreFlags,
  addConfigFlags,
  addStoreFlags,
  readArguments,
  readField,
  withConfig,
  withHandover,
} from "../../input/handover-flags.ts";
import { printResult } from "../../terminal/report.ts";
import { elastic, listText, numbers, previewOf } from "../../terminal/table.ts";
import { type Terminal, styleFor } from "../../terminal/terminal.ts";

interface ShowFlags extends StoreFlags {
  readonly at?: string;
}

interface PackFlags extends ConfigFlags {
  readonly profile?: string;
  readonly instruction?: string;
  readonly box?: readonly string[];
  readonly field?: readonly string[];
  readonly handover?: string;
  readonly arg?: readonly string[];
}

export function defineBox(box: Command, terminal: Terminal): void {
  addStoreFlags(
    box
      .command("show")
      .argument("<box>", "id of the box")
      .description("Shows the cards of a box in order, where each came from, and the tasks that saw it.")
      .option("--at <version>", "an earlier version of the box"),
  ).action(async (id: string, flags: ShowFlags) => {
    await withHandover(flags, async (session) => showBox(id, flags, session, terminal));
  });
  addConfigFlags(
    box
      .command("pack")
      .description("Packs a context box for an agent of a profile, as a task does, and starts nothing.")
      .option("--profile <name>", "the profile of the agent that it is for")
      .option("-i, --instruction <text>", "what the agent is to do; - reads standard input")
      .option("--box <id...>", "boxes whose cards are inherited, in this order")
      .option("--field <field...>", "fields that the result must have: name or name:type")
      .option("--handover <file>", "a handover configuration of your own (JSON) instead of the fixed recipe")
      .option("--arg <name=value...>", "with --handover: the arguments that it packs"),
  )
    .addHelpText(
      "after",
      '\nExamples:\n  $ galley box pack --profile writer -i "Write the summary." --box BOX\n  $ galley box pack --handover handover.json --arg goal="Fix it." --arg boxes=\'["BOX"]\'',
    )
    .action(async (flags: PackFlags) => {
      const packed = await withConfig(flags, (session) => pack(flags, session, terminal));
      const { contextBoxId, attachedCardIds } = packed;
      printResult(terminal, flags, packed, () => `box ${contextBoxId}, ${attachedCardIds.length} cards\n`);
    });
}

async function pack(flags: PackFlags, session: HandoverSession, terminal: Terminal): Promise<PackedContext> {
  const { options, projectId, caller, store } = session;
  const shared = { projectId, toolSuffix: "box_pack", sourceAgentId: caller.id };
  const packOptions = { ...options, reader: authorityOf(store, caller) };
  if (flags.handover !== undefined) {
    if (flags.instruction !== undefined || flags.box || flags.field) {
      const hint = "Give --handover its arguments with --arg.";
      throw new GalleyError("BadUsage", "--handover does not go with --instruction, --box or --field.", { hint });
    }
    const handover = parseJson(await readText(flags.handover, terminal), { what: "handover configuration" });
    const args = {
      ...readArguments(flags.arg ?? []),
      ...(flags.profile === undefined ? {} : { profile_name: flags.profile }),
    };
    return packContext({ ...shared, arguments: args, handover: handover as HandoverConfig }, packOptions);
  }
  if (flags.profile === undefined || flags.instruction === undefined) {
    throw new GalleyError("BadUsage", "Packing needs --profile and --instruction.", { hint: "galley box pack --help" });
  }
  const instruction = flags.instruction === "-" ? await terminal.readStdin() : flags.instruction;
  return packContextWithInstruction(
    {
      ...shared,
      profileName: flags.profile,
      instruction,
      inputBoxIds: flags.box ?? [],
      ...(flags.field ? { resultFields: flags.field.map(readField) } : {}),
    },
    packOptions,
  );
}

async function showBox(
  id: string,
  { at, json }: ShowFlags,
  { store, projectId, caller }: HandoverSession,
  terminal: Terminal,
): Promise<void> {
  const version = at === undefined ? undefined : Number(at);
  const whole = await store.cards.openBox(projectId, id, version);
  const box = whole && (await visibleTo(caller, whole, store));
  if (!box) {
    const which = at === undefined ? "" : ` with version ${at}`;
    throw new GalleyError("NotFound", `There is no box ${JSON.stringify(id)}${which} in the project ${projectId}.`, {
      hint: "`galley task list` shows the boxes of each task; --project names another project.",
    });
  }
  const account = tokenAccount(await tokenizerForModel(undefined));
  const summary = summariseBox(box, account);
  const tasks = (await store.tasks.list(projectId, { boxId: id })).filter(
    (task) => isPerson(caller) || task.agentId === caller.id,
  );
  const seenBy = tasks.map(({ id: taskId, agentId, contextBoxId }) => {
    return { taskId, agentId, as: contextBoxId === id ? "context" : "output" };
  });
  printResult(terminal, { json }, { box, summary, seenBy }, () =>
    boxText(box, seenBy, summary.tokens, account, terminal),
  );
}

/** An agent is shown no more of a box than it may pass on. */
async function visibleTo(caller: Caller, box: HydratedBox, store: Store): Promise<HydratedBox> {
  if (isPerson(caller)) return box;
  const visible = await authorityOf(store, caller).read([{ boxId: box.id, path: "box" }]);
  const ids = new Set(visible.flatMap(({ items }) => items.map(({ cardId }) => cardId)));
  const isVisible = (index: number): boolean => ids.has(box.items[index]?.cardId ?? "");
  return {
    ...box,
    items: box.items.filter((_, index) => isVisible(index)),
    cards: box.cards.filter((_, index) => isVisible(index)),
  };
}

function boxText(
  box: HydratedBox,
  seenBy: readonly { taskId: string; agentId: string; as: string }[],
  tokens: number,
  account: TokenAccount,
  terminal: Terminal,
): string {
  const style = styleFor(terminal);
  const from = box.parents.length > 0 ? `, made from ${box.parents.join(", ")}` : "";
  const head = `box ${style.bold(box.id)}, version ${box.version}, ${box.items.length} cards, ${tokens} tokens${from}\n`;
  const items = box.items.map((item, index) => ({ ...item, card: box.cards[index] }));
  const table = listText(items, terminal, "It is empty.", {
    "#": (_, index) => index,
    origin: "origin",
    type: ({ card }) => card?.type ?? "(deleted)",
    role: ({ card }) => (card ? roleOf(card) : ""),
    tokens: numbers(({ card }) => (card ? tokensOf(card, account) : "")),
    text: elastic(({ card, cardId }) => (card ? previewCard(card) : cardId)),
  });
  const seen = seenBy.map(({ taskId, agentId, as }) => `  task ${taskId} of agent ${agentId}, as its ${as}\n`);
  return `${head}\n${table}\n${seen.length > 0 ? `Seen by\n${seen.join("")}` : "No task has seen it.\n"}`;
}

function tokensOf(card: Card, account: TokenAccount): number {
  return messagesOfCards([card]).reduce((sum, { message }) => sum + account.countMessage(message), 0);
}

function previewCard(card: Card): string {
  return onOneLine(
    messagesOfCards([card])
      .map(({ message }) => previewOf(message))
      .join(" "),
    200,
  );
}
