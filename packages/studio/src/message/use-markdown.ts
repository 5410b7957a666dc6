import { type ReactElement, createElement, useEffect, useState } from "react";

type SetMarkdown = (text: string) => ReactElement;

/** Loaded with the first reply that is shown, and kept. */
let loaded: SetMarkdown | undefined;

/**
 * Sets a text as Markdown, once what does so is there; until then, and while the daemon that would give it is away, a text is
 * shown as it was written, and the next one asks again.
 */
export function useMarkdown(isWanted: boolean): SetMarkdown | undefined {
  const [, setIsLoaded] = useState(loaded !== undefined);
  useEffect(() => {
    if (!isWanted || loaded) return;
    let isGone = false;
    import("./markdown.tsx").then(
      ({ Markdown }) => {
        loaded = (text) => createElement(Markdown, { text });
        if (!isGone) setIsLoaded(true);
      },
      () => undefined,
    );
    return () => {
      isGone = true;
    };
  }, [isWanted]);
  return loaded;
}
