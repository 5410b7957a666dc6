import type { RouteReply } from "galley/api";
import { type ReactElement, type ReactNode, useMemo } from "react";
import { describeRow } from "@galley/engine/proof";
import { sourceOfSession } from "../../api/session-names.ts";
import { useApi } from "../../api/use-api.ts";
import { Link } from "../../frame/location.tsx";
import { pathTo } from "../../frame/routes.ts";
import { inspectText } from "../../i18n/inspect.ts";
import { type MessageText, messageTexts } from "../../i18n/message.ts";
import { useFormats, useLanguage, useText } from "../../i18n/use-text.ts";
import { CopyButton } from "../../message/copy-button.tsx";
import { countedBy } from "../../message/row-look.ts";
import { useCallNames } from "./call-names.ts";
import { prefixBreak } from "./prefix-break.ts";
import { scrolls } from "../../kit/classes.ts";
import { MessageBody } from "../../message/message-body.tsx";
import { messageText } from "../../message/message-blocks.ts";

export type Call = RouteReply<"sessions.call">;

interface CallSummaryProps {
  readonly call: Call;
  /** The number of the call before it. */
  readonly before: number | undefined;
}

/** The figures of a call: size, budget, what the provider reported, digest, and where to go on from here. */
export function CallSummary({ call, before }: CallSummaryProps): ReactElement {
  const text = useText(inspectText);
  const words = useText(messageTexts);
  const { number, dateTime } = useFormats();
  const { stats, recipe, preset } = call;
  const named = useCallNames(call);
  return (
    <dl className="grid grid-cols-2 items-start gap-x-6 gap-y-2 border-b border-line px-4 py-2.5 lg:grid-cols-4">
      <Item label={text.tokens}>
        <strong className="tabular-nums">{text.of(number(stats.inputTokens), number(call.budget))}</strong>{" "}
        <span className="text-muted">({trust(call, words)})</span>
      </Item>
      <Item label={text.reported}>
        <Reported call={call} />
      </Item>
      <Item label={text.cachedPrefix}>
        <span className="text-good tabular-nums">{words.tokens(number(call.cachedPrefix))}</span>
        {before !== undefined && <BrokenPrefix call={call} before={before} />}
      </Item>
      <Item label={text.model}>
        <span className="font-mono">{call.model}</span>
      </Item>
      {recipe && (
        <Item label={text.recipe}>
          <span title={recipe.id}>{named.recipe}</span>{" "}
          <span className="text-muted">{text.matched(recipe.pattern, ruleText(recipe.rule, text.rules))}</span>
        </Item>
      )}
      {preset !== undefined && (
        <Item label={text.preset}>
          <PresetLink id={preset} call={call} />
        </Item>
      )}
      <Item label={text.digest}>
        <span className="-my-1 inline-flex items-center gap-1">
          <code data-digest={call.digest} title={call.digest}>
            {call.digest.slice(0, 16)}
          </code>
          <CopyButton text={call.digest} label={text.copyDigest} />
        </span>
      </Item>
      <Item label={text.at}>{dateTime(call.at)}</Item>
    </dl>
  );
}

/** The preset by its name; it leads to Compose, with the history, the model and the budget of this call. */
function PresetLink({ id, call }: { readonly id: string; readonly call: Call }): ReactElement {
  const { model, budget } = call;
  const source = sourceOfSession(call.session);
  const text = useText(inspectText);
  const name = useApi("presets.list", {}).data?.presets.find((item) => item.id === id)?.name || id;
  return (
    <Link
      href={pathTo("compose", { preset: id }, { source, model, budget })}
      title={id}
      aria-label={`${text.openInCompose}: ${name}`}
    >
      {name}
    </Link>
  );
}

/** What a provider had to read again, although the call before let it expect the same. */
function BrokenPrefix({ call, before: n }: { readonly call: Call; readonly before: number }): ReactElement | null {
  const text = useText(inspectText);
  const language = useLanguage();
  const before = useApi("sessions.call", { params: { id: call.session, n } }).data;
  const broken = useMemo(() => before && prefixBreak(before, call), [before, call]);
  const named = useCallNames(call);
  if (!broken) return null;
  if (broken.kind === "tools")
    return <span className="text-warn"> · {text.brokenByTools(broken.names.join(", "))}</span>;
  const [row] = broken.rows;
  const who = row && describeRow(row, language, named).who;
  return <span className="text-warn"> · {text.brokenAt(broken.position + 1, who ?? "")}</span>;
}

/** How far our count can be trusted. One that the provider reports otherwise is not called exact. */
function trust({ stats, usage }: Call, words: MessageText): string {
  const isRefuted = usage !== null && usage.inputTokens !== stats.inputTokens;
  return isRefuted ? words.counted(stats.tokenizer) : countedBy(words, stats.exactness, stats.tokenizer);
}

function ruleText(rule: string, texts: Readonly<Record<string, string>>): string {
  return texts[rule] ?? rule;
}

function Item({ label, children }: { readonly label: string; readonly children: ReactNode }): ReactElement {
  return (
    <div className="min-w-0">
      <dt className="text-2xs text-muted">{label}</dt>
      <dd className="wrap-anywhere">{children}</dd>
    </div>
  );
}

/** What the provider said that it read, beside our own count. */
function Reported({ call }: { readonly call: Call }): ReactElement {
  const text = useText(inspectText);
  const { number, percent } = useFormats();
  const { usage, stats, isLogged } = call;
  if (!usage) return <span className="text-muted">{text.notReported}</span>;
  const off = usage.inputTokens > 0 ? (stats.inputTokens - usage.inputTokens) / usage.inputTokens : 0;
  const sign = off > 0 ? "+" : "";
  return (
    <span className="tabular-nums">
      {text.reportedValue(number(usage.inputTokens), number(usage.outputTokens), number(usage.cachedInputTokens))}
      {isLogged && <span className="text-muted"> · {text.logged}</span>}
      {off !== 0 && !isLogged && <span className="text-muted"> · {text.difference(`${sign}${percent(off)}`)}</span>}
    </span>
  );
}

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
