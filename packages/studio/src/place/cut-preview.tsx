import type { RouteReply } from "galley/api";
import { Scissors } from "lucide-react";
import { type ReactElement, useMemo, useState } from "react";
import { placeText } from "../i18n/place.ts";
import { messageTexts } from "../i18n/message.ts";
import { useFormats, useText } from "../i18n/use-text.ts";
import { Button } from "../kit/button.tsx";
import { scrolls } from "../kit/classes.ts";
import { Dialog } from "../kit/dialog.tsx";
import { useLoaded } from "../kit/notices.tsx";
import { messageText } from "../message/message-blocks.ts";
import { placeOf } from "./place-of.ts";
import { type Fill } from "./use-place.ts";

interface CutPreviewProps {
  readonly session: string;
  readonly fill: Fill;
}

/** When the next cut comes, and what it would do; a look, built by the daemon, that keeps nothing [T14]. */
export function CutPreview({ session, fill }: CutPreviewProps): ReactElement {
  const text = useText(placeText);
  const { number } = useFormats();
  const [isOpen, setIsOpen] = useState(false);
  const { compacted, budget, target, stats } = fill;
  const left = budget - stats.inputTokens;
  return (
    <>
      <p className="text-xs text-muted">
        {compacted ? text.cutsNow : text.cutComes(number(left), number(target))}
        {fill.isSummaryElsewhere && ` ${text.summaryElsewhere}`}
      </p>
      {(compacted || stats.inputTokens > target) && (
        <div>
          <Button size="small" icon={Scissors} onPress={() => setIsOpen(true)}>
            {text.previewCut}
          </Button>
        </div>
      )}
      {isOpen && (
        <Dialog title={text.previewCut} width="wide" onClose={() => setIsOpen(false)}>
          <Cut session={session} fill={fill} />
        </Dialog>
      )}
    </>
  );
}

type Look = RouteReply<"turns.look">;

/** More than any window: nothing is cut. */
const noLimit = 100_000_000;

/** With and without a cut. Where none is due, the same cut as it would be if the window were full now. */
function Cut({ session, fill }: CutPreviewProps): ReactElement {
  const { compacted, target, stats, isSummaryElsewhere } = fill;
  const place = { ...placeOf(session), model: fill.model };
  const quiet = isSummaryElsewhere ? { compaction: "extractive" as const } : {};
  const most = stats.inputTokens - 1;
  const whole = compacted ? { maxInputTokens: noLimit, reserveOutputTokens: 0 } : {};
  const cut = compacted ? {} : { maxInputTokens: most, reserveOutputTokens: 0, targetRatio: target / most };
  const before = useLoaded("turns.look", { body: { ...place, context: { ...quiet, ...whole } } });
  const after = useLoaded("turns.look", { body: { ...place, context: { ...quiet, ...cut } } });
  if (before.data && after.data) return <CutResult before={before.data} after={after.data} />;
  return before.pending ?? after.pending ?? <></>;
}

interface CutResultProps {
  readonly before: Look;
  readonly after: Look;
}

const shownChars = 160;

function CutResult({ before, after }: CutResultProps): ReactElement {
  const text = useText(placeText);
  const words = useText(messageTexts);
  const { number } = useFormats();
  const leaving = useMemo(() => messagesThatLeave(before, after), [before, after]);
  const summary = after.ledger.find(({ kind, id, position }) => kind === "generated" && id === "summary" && position);
  const written = summary?.position === undefined ? undefined : after.messages[summary.position];
  return (
    <div className="flex flex-col gap-3">
      <p data-cut={leaving.length}>
        {text.cutResult(
          number(leaving.length),
          number(before.stats.inputTokens),
          number(after.stats.inputTokens),
          written !== undefined,
        )}
      </p>
      {written && (
        <section aria-label={words.sources.summary}>
          <h3 className="font-semibold">{words.sources.summary}</h3>
          <p className="rounded-md bg-sunken p-2 text-sm wrap-anywhere whitespace-pre-wrap">
            {messageText(written.content)}
          </p>
        </section>
      )}
      <section aria-label={text.leaves} {...scrolls}>
        <h3 className="font-semibold">{text.leaves}</h3>
        <ol className="divide-y divide-line">
          {leaving.slice(0, maxListed).map(({ id, role, content, tokens }) => (
            <li key={id} className="flex gap-2 py-1 text-sm">
              <span className="w-16 shrink-0 text-xs text-muted">{words.roles[role]}</span>
              <span className="min-w-0 flex-1 wrap-anywhere">{content}</span>
              <span className="shrink-0 text-xs text-muted tabular-nums">{number(tokens)}</span>
            </li>
          ))}
        </ol>
        {leaving.length > maxListed && <p className="text-muted">{text.andMore(number(leaving.length - maxListed))}</p>}
      </section>
    </div>
  );
}

const maxListed = 100;

interface Leaving {
  readonly id: string;
  readonly role: Look["ledger"][number]["role"];
  readonly content: string;
  readonly tokens: number;
}

/** The messages of the history that one build sends and the other does not. */
function messagesThatLeave(before: Look, after: Look): readonly Leaving[] {
  const stays = new Set(
    after.ledger.flatMap(({ kind, id, position }) => (position === undefined ? [] : `${kind} ${id}`)),
  );
  return before.ledger.flatMap(({ kind, id, role, position, tokens = 0 }) => {
    if (kind !== "message" || position === undefined || stays.has(`${kind} ${id}`)) return [];
    const content = messageText(before.messages[position]?.content).slice(0, shownChars);
    return [{ id, role, content, tokens }];
  });
}
