import { existsSync, readFileSync } from "node:fs";

/** The most memory that a process has ever held, in MiB; nothing where the system does not tell. */
export function peakMemory(pid: number | undefined): number | undefined {
  const file = `/proc/${pid}/status`;
  if (pid === undefined || !existsSync(file)) return undefined;
  const kibibytes = /^VmHWM:\s+(\d+) kB$/mu.exec(readFileSync(file, "utf8"))?.[1];
  return kibibytes === undefined ? undefined : Number(kibibytes) / 1024;
}
