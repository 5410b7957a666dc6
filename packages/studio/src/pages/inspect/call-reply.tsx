import type { ReactElement } from "react";
import { inspectText } from "../../i18n/inspect.ts";
import { useFormats, useText } from "../../i18n/use-text.ts";
import { scrolls } from "../../kit/classes.ts";
import { CopyButton } from "../../message/copy-button.tsx";
import { MessageBody } from "../../message/message-body.tsx";
import { messageText } from "../../message/message-blocks.ts";
import type { Call } from "./call-summary.tsx";

/** What the model answered, beside what it read: how long that took, and what it cost. */
export function CallReply({ call }: { readonly call: Call }): ReactElement {
  const text = useText(inspectText);
  const { number } = useFormats();
  const { reply, usage, cost, runStatus } = call;
  const facts = [
    usage && text.outTokens(number(usage.outputTokens)),
    usage?.ms !== undefined &&
      (usage.ms < 1000
        ? text.milliseconds(number(Math.round(usage.ms)))
        : text.seconds(number(Math.round(usage.ms / 100) / 10))),
    cost !== undefined && text.dollars(number(Math.round(cost * 1e6) / 1e6)),
  ].filter((fact) => typeof fact === "string");
  return (
    <section aria-label={text.reply} className="w-full shrink-0 p-3 xl:sticky xl:top-0 xl:w-80">
      <div className="flex items-center gap-2">
        <h2 className="flex-1 font-semibold">{text.reply}</h2>
        {reply && <CopyButton text={() => messageText(reply.content)} />}
      </div>
      {facts.length > 0 && <p className="mb-2 text-xs text-muted tabular-nums">{facts.join(" · ")}</p>}
      {reply ? (
        <div data-reply {...scrolls} className="max-h-[70vh] overflow-y-auto text-sm max-xl:max-h-60">
          <MessageBody content={reply.content} look="markdown" />
        </div>
      ) : (
        <p role="status" className="text-muted">
          {runStatus === undefined ? text.replyUnknown : text.replyMissing[runStatus]}
        </p>
      )}
    </section>
  );
}
