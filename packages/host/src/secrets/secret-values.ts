import type { Environment } from "./expand-environment.ts";
import type { Redactor } from "./redactor.ts";
import {
  isSecretName,
  isSwitch,
  looksRandom,
  readArguments,
  secretsInAddress,
  secretsInCredential,
} from "./secret-parts.ts";

/** They sound like secrets and hold the paths of sockets and files. */
const paths = /^(?:SSH_AUTH_SOCK|XAUTHORITY|OLDPWD)$/;

/** Masks what may be a secret in an environment: by its name, or because it is an address with a password in it. */
export function addSecretsOf(environment: Environment, redactor: Redactor): void {
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined || paths.test(name) || isSwitch(value)) continue;
    if (isSecretName(name)) redactor.add(name, value);
    else addAddress(redactor, name, value);
  }
}

/** Masks the parts of an address that are secret, such as the password of `postgres://user:password@host/database`. */
export function addAddress(redactor: Redactor, name: string, address: string): void {
  for (const part of secretsInAddress(address)) redactor.add(name, part);
}

/** What is known of an MCP server that a session is given. */
interface ServerParts {
  readonly name: string;
  readonly url?: string;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly headers?: readonly { readonly name: string; readonly value: string }[];
  readonly env?: readonly { readonly name: string; readonly value: string }[] | undefined;
}

/** Masks what is secret in the addresses, arguments, headers and variables of MCP servers. */
export function addServerSecrets(redactor: Redactor, servers: readonly ServerParts[]): void {
  for (const { name, url, command, args = [], headers = [], env = [] } of servers) {
    if (url !== undefined) for (const part of secretsInAddress(url, true)) redactor.add(`${name}.url`, part);
    addArguments(redactor, `${name}.args`, [...(command === undefined ? [] : [command]), ...args]);
    for (const value of [...headers, ...env]) addNamed(redactor, value);
  }
}

/** The same for servers that a session is given: all values of their headers and variables count. */
export function addGivenServers(redactor: Redactor, servers: readonly ServerParts[]): void {
  addServerSecrets(redactor, servers);
  for (const { headers = [], env = [] } of servers) redactor.addAll([...headers, ...env]);
}

/** Masks the values of a command line that are secret. */
export function addArguments(redactor: Redactor, name: string, words: readonly string[]): void {
  for (const part of readArguments(words).flatMap(({ secrets }) => secrets)) redactor.add(name, part);
}

/** Masks a header or a variable if its name or its value says that it is a secret; `accept` would mask ordinary text. */
export function addNamed(redactor: Redactor, { name, value }: { readonly name: string; readonly value: string }): void {
  if (isSwitch(value)) return;
  const parts = [...secretsInCredential(value), ...secretsInAddress(value, true)];
  if (isSecretName(name) || looksRandom(value) || parts.length > 0) redactor.add(name, value);
}
