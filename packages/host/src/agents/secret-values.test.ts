import { describe, expect, test } from "vitest";
import { configSchema } from "../config/config-schema.ts";
import { inheritedEnvironment } from "./inherited-environment.ts";
import { Redactor } from "../secrets/redactor.ts";
import { addAddress, addSecretsOf } from "../secrets/secret-values.ts";

function maskedIn(environment: Readonly<Record<string, string>>, text: string): string {
  const redactor = new Redactor();
  addSecretsOf(environment, redactor);
  return redactor.redact(text);
}

describe("[P6] which values of an environment are masked", () => {
  test.each([
    "OPENAI_API_KEY",
    "GITHUB_TOKEN",
    "GH_PAT",
    "CLIENT_SECRET",
    "PGPASSWORD",
    "DB_PASS",
    "DB_PWD",
    "SSH_PASSPHRASE",
    "AWS_CREDENTIALS",
    "NPM_CONFIG__AUTH",
    "HTTP_AUTH",
    "SESSION_COOKIE",
    "SENTRY_DSN",
    "SIGNING_PRIVATE",
  ])("%s by its name", (name) => {
    expect(maskedIn({ [name]: "a-planted-value" }, "so a-planted-value it is")).toBe(`so ‹secret:${name}› it is`);
  });

  test.each(["PATH", "PWD", "OLDPWD", "SSH_AUTH_SOCK", "XAUTHORITY", "EDITOR", "COMPASS", "AUTHOR"])(
    "%s not",
    (name) => {
      expect(maskedIn({ [name]: "/home/ines/work" }, "in /home/ines/work")).toBe("in /home/ines/work");
    },
  );

  test("an address by the password in it, as it stands there and decoded", () => {
    const environment = { DATABASE_URL: "postgres://ines:p%40ss-word@db.example:5432/galley" };
    expect(maskedIn(environment, "p%40ss-word p@ss-word db.example")).toMatch(
      /^‹secret:DATABASE_URL› ‹secret:DATABASE_URL~\d› db\.example$/,
    );
    expect(maskedIn({ HOMEPAGE: "https://example.com/@ines" }, "https://example.com/@ines")).toContain("@ines");
  });

  test("an address by the password among its parameters, which the driver of PostgreSQL takes as well", () => {
    const environment = { DATABASE_URL: "postgres://ines@db.example/galley?ssl=true&password=p%40ss-word" };
    expect(maskedIn(environment, "p%40ss-word p@ss-word ssl=true")).not.toContain("ss-word");
    const plain = { DATABASE_URL: "postgres://db.example/galley?user=postgres&password=postgres" };
    const said = "postgres is at postgres://db.example/galley?user=postgres&password=postgres";
    expect(maskedIn(plain, said)).toBe(
      "postgres is at postgres://db.example/galley?user=postgres&‹secret:DATABASE_URL›",
    );
  });

  test("a password that is a plain word in its address only", () => {
    const environment = { DATABASE_URL: "postgres://postgres:postgres@db.example/galley" };
    const said = "postgres is at postgres://postgres:postgres@db.example";
    expect(maskedIn(environment, said)).toBe("postgres is at postgres://postgres‹secret:DATABASE_URL›db.example");
  });

  test.each(["false", "TRUE", "1", "off"])("the value %s of a switch not, whatever its name", (value) => {
    expect(maskedIn({ TOKENIZERS_PARALLELISM: value }, `{"overwrite":${value}}`)).toBe(`{"overwrite":${value}}`);
  });

  test("an address whose password is badly encoded does not fail", () => {
    const redactor = new Redactor();
    addAddress(redactor, "postgres", "postgres://ines:100%sure@db.example/galley");
    expect(redactor.redact("100%sure")).not.toContain("sure");
  });
});

describe("[H9] what an agent gets of Galley's own environment", () => {
  const environment = {
    PATH: "/bin",
    LC_ALL: "C",
    ANTHROPIC_API_KEY: "planted-1",
    OPENAI_API_KEY: "planted-2",
    GALLEY_POSTGRES: "postgres://ines:planted-3@db/galley",
    GONE: undefined,
  };
  const given = (agent: object): readonly string[] => {
    const [declared] = configSchema.parse({ agents: [{ name: "mara", command: "x", ...agent }] }).agents;
    return declared ? Object.keys(inheritedEnvironment(environment, declared)).sort() : [];
  };

  test("never the address of the store, which opens all projects", () => {
    expect(given({})).toEqual(["ANTHROPIC_API_KEY", "LC_ALL", "OPENAI_API_KEY", "PATH"]);
    expect(given({ inheritEnv: ["GALLEY_POSTGRES"] })).toEqual(["LC_ALL", "PATH"]);
  });

  test("on Windows however the names are written; elsewhere two cases are two variables", () => {
    const written = {
      Path: "C:\\",
      SystemDrive: "C:",
      windir: "C:\\Windows",
      Galley_Postgres: "planted-3",
      My_Key: "1",
    };
    const names = (platform: NodeJS.Platform, inheritEnv?: readonly string[]): readonly string[] =>
      Object.keys(inheritedEnvironment(written, { inheritEnv: inheritEnv && [...inheritEnv] }, platform));
    expect(names("win32", ["MY_KEY", "GALLEY_POSTGRES"])).toEqual(["Path", "SystemDrive", "windir", "My_Key"]);
    expect(names("win32")).not.toContain("Galley_Postgres");
    expect(names("linux", ["MY_KEY"])).not.toContain("My_Key");
  });

  test("no key but those that it is declared to get, where it is declared", () => {
    expect(given({ inheritEnv: ["ANTHROPIC_API_KEY"] })).toEqual(["ANTHROPIC_API_KEY", "LC_ALL", "PATH"]);
    expect(given({ inheritEnv: [] })).toEqual(["LC_ALL", "PATH"]);
  });
});
