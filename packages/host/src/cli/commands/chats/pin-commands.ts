import { GalleyError, type ModelMessage, type PinRequest } from "@galley/engine";
import type { Command } from "commander";
import { onOneLine } from "../../../limits/short-text.ts";
import type { RouteReply } from "../../../api/index.ts";
import { type ConfiguredFolder, withRoutes } from "../../input/connect.ts";
import { type PlaceTarget, sessionOf } from "../../input/connect-settings.ts";
import { printResult } from "../../terminal/report.ts";
import { elastic, listText, previewOf, styled } from "../../terminal/table.ts";
import type { Terminal } from "../../terminal/terminal.ts";

interface PinFlags extends ConfiguredFolder {
  readonly json?: boolean;
  readonly message?: string;
  readonly text?: string;
}

/** `pin`, `unpin` and `pins` of a chat or a session [R6]. */
export function addPinCommands(parent: Command, terminal: Terminal, { named, placeOf }: PlaceTarget): void {
  const message = "a message, by its id or its handle (§12)";
  const pin = named(
    parent
      .command("pin")
      .description("Keeps a message, or a sentence of your own, in every build until it is unpinned."),
  )
    .option("--message <id>", message)
    .option("--text <text>", "a sentence of your own")
    .action(async () => {
      const flags = pin.opts<PinFlags>();
      const request = requestOf(flags);
      const params = { id: sessionOf(placeOf(pin)) };
      const { id, isNew } = await withRoutes(flags, (ask) => ask("sessions.pin", { params, body: request }));
      printResult(terminal, flags, { id, isNew }, () => (isNew ? `Pinned ${id}.\n` : `${id} is pinned already.\n`));
    });
  const unpin = named(parent.command("unpin").description("Takes a pin back; what it kept may leave again."))
    .option("--message <id>", `${message}; of a sentence the id of its pin`)
    .option("--text <text>", "the sentence that was pinned")
    .action(async () => {
      const flags = unpin.opts<PinFlags>();
      requestOf(flags);
      const params = { id: sessionOf(placeOf(unpin)) };
      const id = await withRoutes(flags, async (ask) => {
        const meant = pinnedAs((await ask("sessions.pins", { params })).pins, flags);
        await ask("sessions.unpin", { params: { ...params, pin: meant } });
        return meant;
      });
      printResult(terminal, flags, { unpinned: id }, () => `Unpinned ${id}.\n`);
    });
  const pins = named(parent.command("pins").description("Lists what is pinned.")).action(async () => {
    const flags = pins.opts<PinFlags>();
    const params = { id: sessionOf(placeOf(pins)) };
    const found = await withRoutes(flags, (ask) => ask("sessions.pins", { params }));
    printResult(terminal, flags, found, () => pinsText(found.pins, terminal));
  });
}

type ShownPin = RouteReply<"sessions.pins">["pins"][number];

function requestOf({ message, text }: PinFlags): PinRequest {
  if ((message === undefined) === (text === undefined)) {
    throw new GalleyError("BadUsage", "Name what is meant with --message or with --text, one of them.", {
      hint: 'galley chat pin --chat demo --text "Answer in metric units."',
    });
  }
  if (text !== undefined) return { text };
  return message?.startsWith("§") ? { handle: message } : { entryId: message ?? "" };
}

/** What is not pinned is named as it was given: the answer says so. */
function pinnedAs(pins: readonly ShownPin[], { message, text }: PinFlags): string {
  const found = pins.find((pin) =>
    text === undefined ? pin.id === message || pin.handle === message : pin.text === text.trim(),
  );
  return found?.id ?? message ?? text ?? "";
}

function pinsText(pins: readonly ShownPin[], terminal: Terminal): string {
  return listText(pins, terminal, "Nothing is pinned.", {
    handle: styled("cyan", ({ handle = "–" }) => handle),
    id: styled("dim", "id"),
    by: "by",
    text: elastic(({ text, message }) => onOneLine(text ?? previewOf(message as ModelMessage), 100)),
  });
}
