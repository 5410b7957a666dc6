import type { ReactElement } from "react";
import { useFormats } from "../i18n/use-text.ts";

/** A moment in one short line, for lists; its tooltip says it whole. */
export function When({ at }: { readonly at: number }): ReactElement {
  const { dateTime, moment } = useFormats();
  return (
    <time dateTime={new Date(at).toISOString()} title={dateTime(at)} className="whitespace-nowrap">
      {moment(at)}
    </time>
  );
}
