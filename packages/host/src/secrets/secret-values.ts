import type { Environment } from "./expand-environment.ts";
import type { Redactor } from "./redactor.ts";

/** Names of variables whose values are secrets, as far as names tell. */
const secretName =
  /key|token|secret|passw|passphrase|credential|private|cookie|(?:^|_)(?:auth|pat|pass|dsn)(?:_|$)|_pwd$/i;
/** They sound like secrets and hold the paths of sockets and files. */
const paths = /^(?:SSH_AUTH_SOCK|XAUTHORITY|OLDPWD)$/;
/** Values of switches, whatever their names: to mask them would spoil every text and every JSON document. */
const switches = /^(?:true|false|null|none|yes|no|on|off|\d{1,8})$/i;
/** Passwords of this kind are words that people use, `postgres` above all. */
const plainWord = /^[a-z]{1,8}$/i;

/** Masks what may be a secret in an environment: by its name, or because it is an address with a password in it. */
export function addSecretsOf(environment: Environment, redactor: Redactor): void {
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined || paths.test(name) || switches.test(value)) continue;
    if (secretName.test(name)) redactor.add(name, value);
    else addPassword(redactor, name, value);
  }
}

/**
 * Masks the password of an address such as `postgres://user:password@host/database` or `…?password=…`, as it stands there
 * and decoded. A plain word is masked in its address only, or no text could speak of it any more.
 */
export function addPassword(redactor: Redactor, name: string, address: string): void {
  const url = /[@?]/.test(address) ? URL.parse(address) : null;
  if (!url) return;
  const { username, password, searchParams } = url;
  add(redactor, name, { password, inAddress: `:${password}@`, isPlain: password === username });
  const given = searchParams.get("password") ?? "";
  add(redactor, name, { password: given, inAddress: `password=${given}`, isPlain: given === searchParams.get("user") });
}

interface Password {
  readonly password: string;
  /** With what stands around it in its address. */
  readonly inAddress: string;
  readonly isPlain: boolean;
}

function add(redactor: Redactor, name: string, { password, inAddress, isPlain }: Password): void {
  if (password === "") return;
  if (isPlain || plainWord.test(password)) {
    redactor.add(name, inAddress);
    return;
  }
  redactor.add(name, password);
  redactor.add(name, decoded(password));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
