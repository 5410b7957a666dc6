import type { RouteReply } from "galley/api";
import type { ReactElement } from "react";
import { Link } from "../../frame/location.tsx";
import { pathTo } from "../../frame/routes.ts";
import { handoverText } from "../../i18n/handover.ts";
import { useFormats, useText } from "../../i18n/use-text.ts";
import { Tag } from "../../kit/tag.tsx";
import { Hint } from "../../kit/button.tsx";
import { TaskTreeView } from "./task-tree-view.tsx";
import { useLoaded } from "../../kit/notices.tsx";
import { Section } from "../../kit/section.tsx";

export interface BoxViewProps {
  readonly id: string;
  readonly version: string | undefined;
  /** The task that it was opened from; its tree stands below. */
  readonly task: string | undefined;
}

type Card = RouteReply<"boxes.get">["cards"][number];

const tones = { packed: "accent", inherited: "plain", pointer: "warn", output: "good" } as const;

/** A box as a list of cards, each with where it came from. */
export function BoxView({ id, version, task }: BoxViewProps): ReactElement {
  const text = useText(handoverText);
  const formats = useFormats();
  const number = Number(version);
  const query = Number.isInteger(number) && number > 0 ? { version: number } : {};
  const { data, pending } = useLoaded("boxes.get", { params: { id }, query });
  if (pending) return pending;
  return (
    <div className="flex flex-col gap-4">
      <p className="flex flex-wrap gap-x-4 gap-y-1 text-muted">
        <span>{text.version(data.version)}</span>
        <span>{text.cards(data.cards.length)}</span>
        <span>{text.tokens(formats.number(data.tokens))}</span>
        <span>{formats.dateTime(data.createdAt)}</span>
        {data.parents.length > 0 && (
          <span>
            {text.madeFrom}{" "}
            {data.parents.map((parent) => (
              <Link
                key={parent}
                href={pathTo("boxes", { id: parent }, { task })}
                className="mr-2 font-mono text-xs text-accent"
              >
                {parent}
              </Link>
            ))}
          </span>
        )}
      </p>
      {data.cards.length === 0 && <p className="text-muted">{text.emptyBox}</p>}
      <ol className="flex flex-col gap-2">
        {numbered(data.cards).map(({ card, key }) => (
          <CardItem key={key} card={card} />
        ))}
      </ol>
      {task !== undefined && (
        <Section title={text.tree}>
          <TaskTreeView root={task} />
        </Section>
      )}
    </div>
  );
}

/** A card may be in a box twice. */
function numbered(cards: readonly Card[]): readonly { readonly card: Card; readonly key: string }[] {
  return cards.map((card, index) => ({ card, key: `${index} ${card.id}` }));
}

function CardItem({ card }: { readonly card: Card }): ReactElement {
  const text = useText(handoverText);
  const formats = useFormats();
  return (
    <li data-card={card.id} className="flex flex-col gap-1 rounded-md border border-line bg-raised px-3 py-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted">
        <Hint text={text.originHints[card.origin]}>
          <Tag tone={tones[card.origin]}>{text.origins[card.origin]}</Tag>
        </Hint>
        <span className="font-mono font-semibold text-ink">{card.type}</span>
        {card.authorId !== null && <span>{text.by(card.authorId)}</span>}
        <span className="ml-auto tabular-nums">{text.tokens(formats.number(card.tokens))}</span>
      </div>
      {card.text === null ? (
        <p className="text-muted italic">{text.deleted}</p>
      ) : (
        <p className="max-h-96 overflow-y-auto break-words whitespace-pre-wrap">{card.text}</p>
      )}
    </li>
  );
}
