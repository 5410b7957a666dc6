import { GalleyError } from "../../model/check/errors.ts";
import type { JsonObject } from "../../model/messages.ts";
import { isJsonObject, parseJson } from "../../model/parse-json.ts";
import { textOf } from "../files/json-fields.ts";

/** In characters. A shorter line is parsed as it is. */
const minLength = 1000;

/** The structured copy of a result: often a whole file, before and after. */
const copyKey = ',"toolUseResult":';
/** What the screen showed of a command, and how far behind the start of a line that is looked for. */
const shown = '"type":"progress","data":{"type":"bash_progress"';
const progressType = '"type":"progress"';
const maxHead = 800;

/** The last fields of a record, as long as they are flat: ids and times. */
const lastFields = /(?:,"\w+":(?:"[^"\\]*"|true|false|null))*\}\s*$/;
const maxTail = 800;

/**
 * A record of Claude Code without what stands beside its message and is half of a log: that is not even parsed. What is left is
 * put together from both ends of the line; a key that stands elsewhere (a log that an agent has read, for instance) leaves
 * something that is not JSON, or not all that a record has. Nothing where the line must be read as a whole.
 */
export function readLight(line: string): JsonObject | undefined {
  if (line.length < minLength) return undefined;
  const at = asideAt(line);
  const end = at < 0 ? undefined : lastFields.exec(line.slice(Math.max(at, line.length - maxTail)))?.[0];
  if (end === undefined) return undefined;
  try {
    const record = parseJson(line.slice(0, at) + end, { what: "line" });
    return isJsonObject(record) && isWhole(record) ? record : undefined;
  } catch (error) {
    if (!(error instanceof GalleyError)) throw error;
    return undefined;
  }
}

function asideAt(line: string): number {
  const at = line.lastIndexOf(shown, maxHead);
  return at < 0 ? line.indexOf(copyKey) : at + progressType.length;
}

/** All that is read of such a record, and no record of a sub-agent, which may say more of itself. */
function isWhole(record: JsonObject): boolean {
  const hasIds = ["uuid", "sessionId", "timestamp"].every((key) => textOf(record[key]) !== undefined);
  const isSaid = record["type"] === "user" && isJsonObject(record["message"]);
  return (
    hasIds && "parentUuid" in record && record["isSidechain"] === false && (isSaid || record["type"] === "progress")
  );
}
