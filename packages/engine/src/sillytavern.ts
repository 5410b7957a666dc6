// SillyTavern's files, read and written.
export { type ImportNote, type ImportReport, importReport } from "./exchange/files/import-report.ts";
export { type TavernImport, type TavernImportOptions, importTavern } from "./exchange/sillytavern/import-tavern.ts";
export type { Activation, EntryName } from "./exchange/sillytavern/place-entries.ts";
export { type ReadTavernOptions, readTavernFile } from "./exchange/sillytavern/read-tavern-file.ts";
export { type TavernFile, type TavernKind, tavernKinds } from "./exchange/sillytavern/tavern-files.ts";
export { type TavernExport, exportTavern } from "./exchange/sillytavern/export-tavern.ts";
