import { GalleyError, replay } from "@galley/engine";
import type { ReplayedBuild } from "@galley/engine/proof";
import type { Command } from "commander";
import { readSecrets, readSession } from "../input/build-input.ts";
import { recordAccounts } from "../input/recorded-call.ts";
import { numbers, renderTable } from "../terminal/table.ts";
import { printResult } from "../terminal/report.ts";
import { type Terminal, styleFor } from "../terminal/terminal.ts";

interface ReplayFlags {
  readonly verify?: boolean;
  readonly secret?: readonly string[];
  readonly json?: boolean;
}

/** `galley replay`: builds every recorded call of a session again. */
export function defineReplay(command: Command, terminal: Terminal, fail: () => void): void {
  command
    .description(
      "Rebuilds every recorded build of a session from the log alone, and says whether the same bytes come out.",
    )
    .argument("<session>", "session file (JSON lines); - reads standard input")
    .option("--verify", "exit with 1 when a build differs, or when nothing was recorded")
    .option("--secret <env...>", "environment variables whose values were masked when the builds were recorded")
    .option("--json", "print one JSON document")
    .action(async (session: string, flags: ReplayFlags) => {
      const { entries } = await readSession(session, terminal);
      const accountFor = await recordAccounts(entries);
      const secrets = readSecrets(flags.secret ?? []);
      const builds = [...replay(entries, accountFor, Object.keys(secrets).length > 0 ? { secrets } : {})];
      if (flags.verify && builds.length === 0) {
        const hint = "Record builds with: galley build --session FILE --append";
        throw new GalleyError("NotFound", `${session} holds no recorded build, so that nothing can be verified.`, {
          path: session,
          hint,
        });
      }
      printResult(terminal, flags, builds.map(asData), () => replayText(builds, terminal));
      if (flags.verify && builds.some((build) => !build.isSame)) fail();
    });
}

function asData({ record, entries, build, digest, isSame, firstDifference }: ReplayedBuild): object {
  return { id: record.id, entries, stats: build.stats, recorded: record.digest, digest, isSame, firstDifference };
}

function replayText(builds: readonly ReplayedBuild[], terminal: Terminal): string {
  const style = styleFor(terminal);
  if (builds.length === 0) return "No build was recorded. Record one with: galley build --session FILE --append\n";
  const rows = builds.map(({ record, entries, build, digest, isSame, firstDifference }) => [
    record.id,
    String(entries),
    String(build.stats.messageCount),
    String(build.stats.inputTokens),
    digest.slice(0, 12),
    isSame ? "same" : `differs from message ${(firstDifference ?? 0) + 1} on`,
  ]);
  const table = renderTable(
    ["build", numbers("entries"), numbers("messages"), numbers("tokens"), "digest", "result"],
    rows,
    terminal,
  );
  const different = builds.filter((build) => !build.isSame).length;
  const verdict =
    different === 0
      ? style.green(`all ${builds.length} the same`)
      : style.red(`${different} of ${builds.length} differ`);
  return `${table}\n\n${verdict}\n`;
}
