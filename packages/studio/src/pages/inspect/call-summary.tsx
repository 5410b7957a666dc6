import type { RouteReply } from "galley/api";
import type { ReactElement, ReactNode } from "react";
import { Link } from "../../frame/location.tsx";
import { pathTo } from "../../frame/routes.ts";
import { inspectText } from "../../i18n/inspect.ts";
import { messageTexts } from "../../i18n/message.ts";
import { useFormats, useText } from "../../i18n/use-text.ts";
import { CopyButton } from "../../message/copy-button.tsx";
import { countedBy } from "../../message/row-look.ts";

export type Call = RouteReply<"sessions.call">;

/** The figures of a call: size, budget, what the provider reported, digest, and where to go on from here. */
export function CallSummary({ call }: { readonly call: Call }): ReactElement {
  const text = useText(inspectText);
  const words = useText(messageTexts);
  const { number, dateTime } = useFormats();
  const { stats, recipe, preset } = call;
  return (
    <dl className="flex flex-wrap items-start gap-x-6 gap-y-2 border-b border-line px-4 py-2.5">
      <Item label={text.tokens}>
        <strong className="tabular-nums">{text.of(number(stats.inputTokens), number(call.budget))}</strong>{" "}
        <span className="text-muted">({countedBy(words, stats.exactness, stats.tokenizer)})</span>
      </Item>
      <Item label={text.reported}>
        <Reported call={call} />
      </Item>
      <Item label={text.cachedPrefix}>
        <span className="text-good tabular-nums">{words.tokens(number(call.cachedPrefix))}</span>
      </Item>
      <Item label={text.model}>
        <span className="font-mono">{call.model}</span>
      </Item>
      {recipe && (
        <Item label={text.recipe}>
          <span className="font-mono">{recipe.id}</span>{" "}
          <span className="text-muted">{text.matched(recipe.pattern, ruleText(recipe.rule, text.rules))}</span>
        </Item>
      )}
      {preset !== undefined && (
        <Item label={text.preset}>
          <Link href={composePath(preset, call)}>{text.openInCompose}</Link>{" "}
          <span className="font-mono text-muted">{preset}</span>
        </Item>
      )}
      <Item label={text.digest}>
        <span className="inline-flex items-center gap-1">
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

/** The preset with the history, the model and the budget of this call. */
function composePath(preset: string, { session, model, budget }: Call): string {
  const source = session.startsWith("chat:") ? session : `session:${session}`;
  return pathTo("compose", { preset }, { source, model, budget });
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
  const { usage, stats } = call;
  if (!usage) return <span className="text-muted">{text.notReported}</span>;
  const off = usage.inputTokens > 0 ? (stats.inputTokens - usage.inputTokens) / usage.inputTokens : 0;
  const sign = off > 0 ? "+" : "";
  return (
    <span className="tabular-nums">
      {text.reportedValue(number(usage.inputTokens), number(usage.outputTokens), number(usage.cachedInputTokens))}
      {off !== 0 && <span className="text-muted"> · {text.difference(`${sign}${percent(off)}`)}</span>}
    </span>
  );
}
