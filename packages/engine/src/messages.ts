// Messages and the parts that they are made of; the entries of sessions, their kinds and groups.
export type {
  AssistantMessage,
  AssistantPart,
  CustomPart,
  DataContent,
  FileData,
  FilePart,
  ImagePart,
  JsonObject,
  JsonValue,
  MessagePart,
  MessageRole,
  ModelMessage,
  ProviderOptions,
  ProviderReference,
  ReasoningFilePart,
  ReasoningPart,
  SystemMessage,
  TextPart,
  ToolApprovalRequest,
  ToolApprovalResponse,
  ToolCallPart,
  ToolMessage,
  ToolPart,
  ToolResultContent,
  ToolResultOutput,
  ToolResultPart,
  ToolSpec,
  UserMessage,
  UserPart,
} from "./model/messages.ts";
export {
  type ActivationEntry,
  type CustomEntry,
  type InjectionEntry,
  type RedactEntry,
  type RecordedEffect,
  type RuntimeInitEntry,
  type Said,
  type StoppedEntry,
} from "./model/entries.ts";
export {
  type ChatKind,
  type EntryKind,
  type EntryKindName,
  type SessionKind,
  entryKinds,
} from "./model/entry-kinds.ts";
export { deriveEntryId } from "./model/entry-ids.ts";
export { groupFinder, groupStarts } from "./model/groups.ts";
export { type AppendedSession, appendEntries, newEntries } from "./model/session-log.ts";
export { nothingSaid } from "./fit/log/stopped-message.ts";
export { redactMessage } from "./fit/log/redact-message.ts";
