import pg from "pg";

const reconnectMs = 500;

/** Calls `onNotice` for every notification on a channel, and after every new connection. Gives what ends that. */
export function postgresListen(
  url: string,
  channel: string,
  onNotice: () => void,
  onError: (error: unknown) => void,
): () => void {
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  const connect = async (): Promise<void> => {
    const next = new pg.Client({ connectionString: url, keepAlive: true });
    client = next;
    let isOver = false;
    const again = (error?: unknown): void => {
      if (isOver) return;
      isOver = true;
      if (error !== undefined && !isStopped) onError(error);
      void next.end().catch(() => {});
      if (!isStopped) timer = setTimeout(() => void connect(), reconnectMs);
    };
    next.on("error", again);
    next.on("end", () => again());
    next.on("notification", onNotice);
    try {
      await next.connect();
      await next.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
      // For what was sent before this connection listened.
      onNotice();
    } catch (error) {
      again(error);
    }
  };

  void connect();
  return () => {
    isStopped = true;
    clearTimeout(timer);
    void client?.end().catch(() => {});
  };
}
