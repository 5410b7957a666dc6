// SillyTavern's files, read and written.
export { type ImportNote, type ImportReport, importReport } from "./exchange/files/import-report.ts";
export { type TavernImport, type TavernImportOptions, importTavern } from "./exchange/sillytavern/import-tavern.ts";
export type { Activated, EntryName } from "./exchange/sillytavern/place-entries.ts";
export { type ReadTavernOptions, readTavernFile } from "./exchange/sillytavern/read/read-tavern-file.ts";
export { type TavernFile, type TavernKind, tavernKinds } from "./exchange/sillytavern/tavern-files.ts";
export {
  type TavernExport,
  type TavernExportOptions,
  exportTavern,
} from "./exchange/sillytavern/export/export-tavern.ts";
export type { ExportedCard } from "./exchange/sillytavern/export/export-card.ts";
export { type CardVersion, cardPicture, cardVersions } from "./exchange/sillytavern/export/card-versions.ts";
export { reviveEntries, sleepingEntries } from "./exchange/sillytavern/revive-entries.ts";
