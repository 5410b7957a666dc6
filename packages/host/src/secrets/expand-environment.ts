import { GalleyError } from "@galley/engine";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Values of these are not secrets, and masking them would spoil every path that is printed. */
const publicVariables = new Set([
  "HOME",
  "HOSTNAME",
  "LANG",
  "LOGNAME",
  "PATH",
  "PWD",
  "SHELL",
  "TERM",
  "TMPDIR",
  "USER",
]);

export interface ExpandOptions {
  readonly environment: Environment;
  /** Where the text stands, for the message: `mcpServers.github.env.TOKEN`. */
  readonly path: string;
  /** Is told each value that was put in and may be a secret. */
  readonly onValue?: (name: string, value: string) => void;
}

/** Puts environment variables into a text: `${NAME}`, and `${NAME:-text to use when it is not set}`. */
export function expandEnvironment(text: string, { environment, path, onValue }: ExpandOptions): string {
  return text.replace(/\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g, (_, name: string, fallback: string | undefined) => {
    const value = environment[name];
    if (value !== undefined && (value !== "" || fallback === undefined)) {
      if (!publicVariables.has(name)) onValue?.(name, value);
      return value;
    }
    if (fallback !== undefined) return fallback;
    throw new GalleyError("ConfigInvalid", `${path} needs the environment variable ${name}, which is not set.`, {
      path,
      hint: `Set it, or write \${${name}:-default}.`,
    });
  });
}
