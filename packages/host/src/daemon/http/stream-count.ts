import { GalleyError } from "@galley/engine";

/** Counts the open streams of each client, so that one that forgets to close them harms nobody else. */
export interface StreamCount {
  /** Gives the function that says that the stream is over. */
  enter(client: string): () => void;
}

export function streamCount(max: number): StreamCount {
  const open = new Map<string, number>();
  return {
    enter(client) {
      const count = open.get(client) ?? 0;
      if (count >= max) {
        throw new GalleyError("TooManyStreams", `${max} streams are open already.`, {
          hint: "Close one first; /events tells of everything in one stream.",
          retryable: true,
        });
      }
      open.set(client, count + 1);
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        const left = (open.get(client) ?? 1) - 1;
        if (left > 0) open.set(client, left);
        else open.delete(client);
      };
    },
  };
}
