import type { AgentDeclaration } from "../config/config-schema.ts";
import type { Environment } from "../secrets/expand-environment.ts";

/** It opens every project of the database, past all that is checked here: no agent gets it unless its `env` says so. */
const ownVariables = new Set(["GALLEY_POSTGRES"]);

/** Without these hardly any program runs. */
const basicVariables =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_\w+|TERM|TMPDIR|TZ|SystemRoot|SystemDrive|windir|ComSpec|PATHEXT|ProgramData|ProgramFiles|APPDATA|LOCALAPPDATA|USERPROFILE|HOMEDRIVE|HOMEPATH|TEMP|TMP)$/i;

/** @param platform the system whose rules hold for names */
export function inheritedEnvironment(
  environment: Environment,
  { inheritEnv }: Pick<AgentDeclaration, "inheritEnv">,
  platform = process.platform,
): Record<string, string> {
  // On Windows `Path` and `PATH` are one variable, however either is written.
  const known = (name: string): string => (platform === "win32" ? name.toUpperCase() : name);
  const declared = inheritEnv && new Set(inheritEnv.map(known));
  const isGiven = (name: string): boolean =>
    declared === undefined || declared.has(known(name)) || basicVariables.test(name);
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]): [string, string][] =>
      value !== undefined && !ownVariables.has(known(name)) && isGiven(name) ? [[name, value]] : [],
    ),
  );
}
