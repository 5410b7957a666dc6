import type { SessionEntry } from "../../model/entries.ts";
import { entrySchemaFor } from "../../model/entry-schema.ts";
import { textOf, timeOf } from "../files/json-fields.ts";
import type { LogRecord } from "./log-types.ts";
import type { OpenReader } from "./reader.ts";

/** Session files of Galley itself [M2]: entries as they are. Such a file does not say its session; the file's name does. */
export const galleySession: OpenReader = ({ writer, name, leftOut }) => {
  return {
    read({ value, at }: LogRecord) {
      const session = writer.session(name);
      const read = entrySchemaFor(value).safeParse(value);
      if (read.success) session.entry(value as unknown as SessionEntry);
      else {
        leftOut("lines without an entry, kept as they are");
        session.custom({ id: textOf(value["id"]) ?? `line-${at}`, ts: timeOf(value["ts"]) }, "line", value);
      }
    },
    end: () => undefined,
  };
};
