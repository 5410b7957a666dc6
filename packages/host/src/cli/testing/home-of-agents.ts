import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished, vi } from "vitest";

/** A home of its own for a test, in which agents have their settings; `put` writes a file into it. */
export function homeOfAgents(): {
  readonly home: string;
  readonly put: (file: string, text: string) => string;
} {
  const home = mkdtempSync(join(tmpdir(), "galley-agents-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const variables = {
    HOME: home,
    XDG_STATE_HOME: join(home, "state"),
    XDG_CONFIG_HOME: join(home, ".config"),
    CODEX_HOME: "",
    CLAUDE_CONFIG_DIR: "",
    GEMINI_CLI_HOME: "",
  };
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  if (homedir() !== home) throw new Error("The tests would write into a real home.");
  return {
    home,
    put: (file, text) => {
      mkdirSync(dirname(join(home, file)), { recursive: true });
      writeFileSync(join(home, file), text);
      return join(home, file);
    },
  };
}
