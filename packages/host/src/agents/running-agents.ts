import { join } from "node:path";
import * as z from "zod";
import { findDocument, maxNoteBytes, namesIn, removeFiles } from "../disk/data-files.ts";
import { pathIn } from "../disk/data-paths.ts";
import { identitySchema } from "../disk/folder-lock.ts";
import { makeFolder } from "../disk/private-folder.ts";
import { fateOf, ownIdentity, startOf } from "../disk/process-identity.ts";
import { isGroupAlive, signalGroup, waitWhile } from "./process-group.ts";
import { abandonedDrafts, replaceFile } from "../disk/replace-file.ts";

const recordSchema = z.object({
  version: z.literal(1),
  name: z.string(),
  sessionId: z.string(),
  startedAt: z.string(),
  /** The process that has started the agent and answers for it. */
  owner: identitySchema,
  agent: identitySchema,
});

/** An agent without an owner has no reader for its last words. */
const forcedLimitMs = 2000;

/** An agent that some process of this machine runs. */
export type RunningAgent = z.output<typeof recordSchema>;

export interface RunningAgentState extends RunningAgent {
  /** `orphaned`: the process that started it is gone, and the agent is still there. */
  readonly state: "running" | "orphaned";
}

/** Leaves a note of a running agent in the data folder; gives the function that takes it away. */
export async function noteRunningAgent(
  dataFolder: string,
  agent: { readonly name: string; readonly sessionId: string; readonly pid: number },
): Promise<() => Promise<void>> {
  const folder = notesIn(dataFolder);
  makeFolder(folder);
  const file = join(folder, `${agent.sessionId}.json`);
  const note: RunningAgent = {
    version: 1,
    name: agent.name,
    sessionId: agent.sessionId,
    startedAt: new Date().toISOString(),
    owner: ownIdentity(),
    agent: { ...ownIdentity(), pid: agent.pid, start: startOf(agent.pid) ?? "" },
  };
  await replaceFile(file, [`${JSON.stringify(note)}\n`]);
  return async () => removeFiles(file);
}

/** The agents that run, whichever process has started them. Notes of those that are gone are taken away. */
export async function runningAgents(dataFolder: string): Promise<readonly RunningAgentState[]> {
  const folder = notesIn(dataFolder);
  removeFiles(...abandonedDrafts(folder));
  const found: RunningAgentState[] = [];
  for (const name of namesIn(folder).filter((one) => one.endsWith(".json"))) {
    const file = join(folder, name);
    // Half written, or gone in this moment: the process that wrote it knows.
    const note = findDocument(file, recordSchema, maxNoteBytes);
    if (!note) continue;
    const isOwned = fateOf(note.owner) !== "dead";
    if (isOwned || fateOf(note.agent) === "alive") found.push({ ...note, state: isOwned ? "running" : "orphaned" });
    else removeFiles(file);
  }
  return found.sort((a, b) => (a.startedAt < b.startedAt ? -1 : 1));
}

/** Stops an agent by way of the process that has started it; one whose owner is gone is ended directly. */
export async function stopRunningAgent(
  dataFolder: string,
  { owner, agent, sessionId }: RunningAgent,
  limitMs: number,
): Promise<boolean> {
  // Its number belongs to its group as long as that lasts; a process of this number that began later is a stranger.
  const isLeft = (): boolean => ["", agent.start].includes(startOf(agent.pid) ?? "") && isGroupAlive(agent.pid);
  const isOwned = fateOf(owner) === "alive";
  if (isOwned) process.kill(owner.pid, "SIGTERM");
  else if (isLeft()) signalGroup(agent.pid, "SIGTERM");
  await waitWhile(() => isLeft() || fateOf(owner) === "alive", isOwned ? limitMs : forcedLimitMs);
  // The owner had its time to do it in good order.
  if (isLeft()) signalGroup(agent.pid, "SIGKILL");
  await waitWhile(isLeft, forcedLimitMs);
  removeFiles(join(notesIn(dataFolder), `${sessionId}.json`));
  return !isLeft();
}

function notesIn(dataFolder: string): string {
  return pathIn(dataFolder, "agents", ".running");
}
