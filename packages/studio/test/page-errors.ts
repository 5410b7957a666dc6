import type { BrowserContext } from "playwright";
import { afterEach, expect } from "vitest";

/** Errors that a test may provoke, by name. Each says what the browser itself writes to the console then. */
const provoked = {
  "daemon away":
    /net::ERR_(?:CONNECTION_\w+|SOCKET_NOT_CONNECTED|EMPTY_RESPONSE|INTERNET_DISCONNECTED|INCOMPLETE_CHUNKED_ENCODING)/,
  "file not loaded": /net::ERR_FAILED|Failed to fetch dynamically imported module/,
  "not signed in": /status of 401/,
  "agent failed": /status of 424/,
  forbidden: /status of 403/,
  "not found": /status of 404/,
  "refused setting": /status of 400/,
  conflict: /status of 409/,
  "too large": /status of 413/,
  unavailable: /status of 503/,
  "planted error": /planted: /,
  "forbidden by the policy": /Content Security Policy/,
} as const;

export type ProvokedError = keyof typeof provoked;

export type WatchErrors = (context: BrowserContext, expected?: readonly ProvokedError[]) => void;

/**
 * Fails every test of the file in which a page writes an error to its console, or leaves one uncaught, that is not
 * expected. Gives what watches all pages of a window.
 */
export function errorWatch(): WatchErrors {
  const errors: string[] = [];
  afterEach(() => {
    expect(errors.splice(0)).toEqual([]);
  });
  return (context, expected = []) => {
    const note = (text: string): void => {
      if (!expected.some((name) => provoked[name].test(text))) errors.push(text);
    };
    context.on("console", (message) => {
      if (message.type() === "error") note(`${message.location().url}: ${message.text()}`);
    });
    context.on("weberror", (error) => note(`${error.page()?.url()}: uncaught ${error.error().message}`));
  };
}
