import { GalleyError, replay } from "@galley/engine";
import type { ReplayedBuild } from "@galley/engine/proof";
import type { Command } from "commander";
import { readSecrets } from "../../input/build-input.ts";
import { type DataFlags, addDataFlags } from "../../input/options.ts";
import { isFileName } from "../../input/place-names.ts";
import { readRecords } from "../../input/read-conversation.ts";
import { recordAccounts } from "../../input/recorded-call.ts";
import { renderTable } from "../../terminal/table.ts";
import { printResult } from "../../terminal/report.ts";
import { type Terminal, styleFor } from "../../terminal/terminal.ts";

interface ReplayFlags extends DataFlags {
  readonly verify?: boolean;
  readonly secret?: readonly string[];
}

const howToRecord = "Record one with: galley build --session FILE --append";

export function defineReplay(command: Command, terminal: Terminal, fail: () => void): void {
  const described = command
    .description(
      "Rebuilds every recorded build of a session from the log alone, and says whether the same bytes come out.",
    )
    .argument(
      "<place>",
      "chat:KEY, agent:NAME, task:ID, a session's id, a session file (JSON lines), or - for standard input",
    )
    .option("--verify", "exit with 1 when a build differs, or when nothing was recorded")
    .option("--secret <env...>", "environment variables whose values were masked when the builds were recorded");
  addDataFlags(described).action(async (place: string, flags: ReplayFlags) => {
    const { entries } = await readRecords(place, flags.data, terminal);
    const accountFor = await recordAccounts(entries);
    const secrets = readSecrets(flags.secret ?? []);
    const builds = [...replay(entries, accountFor, Object.keys(secrets).length > 0 ? { secrets } : {})];
    const isStored = place !== "-" && !(await isFileName(place));
    const hint = isStored ? `Calls of a place are kept as they were sent: galley explain ${place}` : howToRecord;
    if (flags.verify && builds.length === 0) {
      const message = `The log of ${place} holds no recorded build, so that nothing can be verified.`;
      throw new GalleyError("NotFound", message, { path: place, hint });
    }
    const nothing = `The log holds no recorded build. ${hint}\n`;
    printResult(terminal, flags, builds.map(asData), () =>
      builds.length === 0 ? nothing : replayText(builds, terminal),
    );
    if (flags.verify && builds.some((build) => !build.isSame)) fail();
  });
}

function asData({ record, entries, build, digest, isSame, firstDifference }: ReplayedBuild): object {
  return { id: record.id, entries, stats: build.stats, recorded: record.digest, digest, isSame, firstDifference };
}

function replayText(builds: readonly ReplayedBuild[], terminal: Terminal): string {
  const style = styleFor(terminal);
  const different = builds.filter((build) => !build.isSame).length;
  const verdict =
    different === 0
      ? style.green(`all ${builds.length} the same`)
      : style.red(`${different} of ${builds.length} differ`);
  return `${renderTable(builds, terminal, {
    build: ({ record }) => record.id,
    entries: "entries",
    messages: ({ build }) => build.stats.messageCount,
    tokens: ({ build }) => build.stats.inputTokens,
    digest: ({ digest }) => digest.slice(0, 12),
    result: ({ isSame, firstDifference = 0 }) => (isSame ? "same" : `differs from message ${firstDifference + 1} on`),
  })}\n\n${verdict}\n`;
}
