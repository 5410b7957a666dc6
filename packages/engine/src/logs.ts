// Logs of agents, read.
export { type LogReader, type ReadLogOptions, readLog } from "./exchange/logs/read-log.ts";
export {
  type LogCounts,
  type LogEntry,
  type LogFormat,
  type LogSession,
  type LogStep,
  type LogSummary,
  logFormats,
} from "./exchange/logs/log-types.ts";
export {
  type AppendToSession,
  type ImportLogOptions,
  type ImportedSession,
  type LogImport,
  type LogImporter,
  importLog,
  logImporter,
} from "./exchange/logs/import-log.ts";
export { counted, uncounted } from "./exchange/files/counted.ts";
export { type LogDetector, detectLog, logDetector } from "./exchange/logs/formats.ts";
export {
  type LogNames,
  type LogNamesOptions,
  growLogNames,
  messagesOfLog,
  reminderText,
  summaryInstructions,
} from "./fit/log-names.ts";
