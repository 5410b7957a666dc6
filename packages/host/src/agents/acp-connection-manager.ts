import { GalleyError } from "@galley/engine";
import type { AcpConnection } from "./acp-connection.ts";
import type { ConnectOptions } from "./acp-open-session.ts";
import { startAgentProcess } from "./agent-process.ts";
import { type Timeout, withTimeout } from "../limits/with-timeout.ts";

/** Starts agents as processes, speaks ACP with them, and ends them. */
export class AcpConnectionManager {
  readonly #open = new Set<AcpConnection>();

  get connections(): readonly AcpConnection[] {
    return [...this.#open];
  }

  /** Starts the agent and opens its session; when that fails, nothing of it is left. */
  async connect(options: ConnectOptions): Promise<AcpConnection> {
    const { agentName, signal, limits } = options;
    // Loaded with the first agent: most programs that have this class start none.
    const [{ AcpConnection }, { openSession, speakAcp }] = await Promise.all([
      import("./acp-connection.ts"),
      import("./acp-open-session.ts"),
    ]);
    const agentProcess = await startAgentProcess(options);
    const connection = new AcpConnection(agentProcess, (owner) => speakAcp(agentProcess, owner), options);
    this.#open.add(connection);
    // An agent that ends by itself may leave processes of its own behind; one that cannot be talked to any more (it has
    // closed its output, or said too much at once) is ended, so that it can be started again.
    void Promise.race([agentProcess.exited, connection.closed]).then(() => this.disconnect(connection));
    const end = (): void => void this.disconnect(connection);
    signal?.addEventListener("abort", end, { once: true });
    void agentProcess.exited.then(() => signal?.removeEventListener("abort", end));
    if (signal?.aborted) end();
    try {
      const opening = connection.orFailure(openSession(connection, options), "starting");
      connection.session = await withTimeout(() => opening, startTimeout(agentName, limits.agentStartMs));
      return connection;
    } catch (error) {
      await this.disconnect(connection);
      throw error;
    }
  }

  /** Opens another session of an agent that runs, and leaves the one that it has [A6]. */
  async renew(connection: AcpConnection, options: ConnectOptions): Promise<void> {
    const { agentName, limits } = options;
    const { nextSession } = await import("./acp-open-session.ts");
    const opening = connection.orFailure(nextSession(connection, connection.session, options), "opening a new session");
    connection.session = await withTimeout(() => opening, startTimeout(agentName, limits.agentStartMs));
  }

  async disconnect(connection: AcpConnection): Promise<void> {
    await connection.close();
    this.#open.delete(connection);
  }

  async close(): Promise<void> {
    await Promise.all(this.connections.map((connection) => this.disconnect(connection)));
  }
}

function startTimeout(agentName: string, milliseconds: number): Timeout {
  const message = `The start of ${agentName} took longer than ${milliseconds} ms.`;
  const hint = "The machine may be slow, or the program waits for something: see what it wrote to its standard error.";
  return { milliseconds, error: () => new GalleyError("AgentFailed", message, { hint, retryable: true }) };
}
