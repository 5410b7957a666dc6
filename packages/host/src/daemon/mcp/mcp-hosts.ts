import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { findDaemon } from "../client/running-daemon.ts";
import type { ToolSession } from "../tools/tool-session.ts";
import { type McpHosts, connectToHost } from "./mcp-bridge.ts";
import { type McpServerOptions, mcpServer, mcpServerInfo } from "./mcp-server.ts";

/** The data folder opened in this process. */
export interface OpenedFolder {
  readonly session: ToolSession;
  readonly options: McpServerOptions;
  close(): Promise<void>;
}

interface FolderHostsOptions {
  readonly dataFolder: string;
  readonly token?: string | undefined;
  /** The chat that is asked for; the one that all clients share if absent. */
  readonly chat?: string | undefined;
  /** Opens the data folder here, where no daemon runs. */
  readonly open: () => Promise<OpenedFolder>;
}

/**
 * Serves a data folder: through its daemon where one runs, so that it and the pages that look on know of every change, and
 * otherwise in this process. A daemon that has ended is looked for again.
 */
export function folderHosts({
  dataFolder,
  token,
  chat,
  open,
}: FolderHostsOptions): McpHosts & { close(): Promise<void> } {
  let opened: Promise<OpenedFolder> | undefined;
  const clients = new Map<string, Promise<Client>>();
  const connect = async (name: string): Promise<Client> => {
    const daemon = opened ? undefined : await findDaemon(dataFolder, token);
    if (daemon) {
      const query = chat === undefined ? "" : `?chat=${encodeURIComponent(chat)}`;
      return connectToHost(`${daemon.url}/mcp${query}`, daemon.token, name);
    }
    const { session, options } = await (opened ??= open());
    const client = new Client({ ...mcpServerInfo, name });
    const [here, there] = InMemoryTransport.createLinkedPair();
    await Promise.all([mcpServer(session, options).connect(there), client.connect(here)]);
    return client;
  };
  const drop = async (): Promise<void> => {
    const dropped = [...clients.values()];
    clients.clear();
    for (const client of await Promise.allSettled(dropped)) {
      if (client.status === "fulfilled") await client.value.close().catch(() => undefined);
    }
  };
  return {
    current(name = mcpServerInfo.name) {
      const known = clients.get(name) ?? connect(name);
      clients.set(name, known);
      known.catch(() => clients.delete(name));
      return known;
    },
    drop,
    async close() {
      await drop();
      await (await opened?.catch(() => undefined))?.close();
    },
  };
}
