import type { RouteReply } from "galley/api";
import { Waypoints } from "lucide-react";
import type { ReactElement } from "react";
import { useApi } from "../../api/use-api.ts";
import { Link } from "../../frame/location.tsx";
import { Crumbs, Page } from "../../frame/page.tsx";
import { pathTo } from "../../frame/routes.ts";
import { handoverText } from "../../i18n/handover.ts";
import { useFormats, useText } from "../../i18n/use-text.ts";
import { Hint } from "../../kit/button.tsx";
import { useLoaded } from "../../kit/notices.tsx";
import { Section } from "../../kit/section.tsx";
import { Tag } from "../../kit/tag.tsx";
import { Named } from "../../message/named.tsx";
import { Giver } from "./giver.tsx";
import { TaskTreeView } from "./task-tree-view.tsx";

export interface BoxViewProps {
  readonly id: string;
  readonly version: string | undefined;
  /** The task that it was opened from; its tree stands below. */
  readonly task: string | undefined;
}

type Box = RouteReply<"boxes.get">;
type Card = Box["cards"][number];

const tones = { packed: "accent", inherited: "plain", pointer: "warn", output: "good" } as const;

/** A box is called by the task that it was packed for, or that filled it. */
function useBoxName(box: Pick<Box, "tasks" | "cards"> | undefined): string {
  const text = useText(handoverText);
  const [task] = box?.tasks ?? [];
  if (!task) return box ? text.cards(box.cards.length) : text.box;
  const name = task.profileName ?? text.anAgent;
  return task.as === "context" ? text.seenBy(name, task.instruction) : text.givenBy(name, task.instruction);
}

/** A box as a list of cards, each with where it came from. */
export function BoxView({ id, version, task }: BoxViewProps): ReactElement {
  const text = useText(handoverText);
  const number = Number(version);
  const query = Number.isInteger(number) && number > 0 ? { version: number } : {};
  const { data, pending } = useLoaded("boxes.get", { params: { id }, query });
  const name = useBoxName(data);
  return (
    <Page
      title={text.boxTitle}
      header={
        <Crumbs label={text.all} href={pathTo("boxes", {}, { task })}>
          <Named id={id} name={name} />
        </Crumbs>
      }
      actions={
        data && (
          <Link
            href={pathTo("boxes", {}, { box: id })}
            className="inline-flex h-8 items-center gap-1.5 rounded-md border border-line px-3 font-medium hover:bg-sunken"
          >
            <Waypoints aria-hidden size={14} />
            {text.handOver}
          </Link>
        )
      }
    >
      {pending ?? <BoxContents box={data} task={task} />}
    </Page>
  );
}

function BoxContents({ box, task }: { readonly box: Box; readonly task: string | undefined }): ReactElement {
  const text = useText(handoverText);
  const formats = useFormats();
  return (
    <div className="flex flex-col gap-4">
      <p className="flex flex-wrap gap-x-4 gap-y-1 text-muted">
        <span>{text.version(box.version)}</span>
        <span>{text.cards(box.cards.length)}</span>
        <span>{text.tokens(formats.number(box.tokens))}</span>
        <span>{formats.dateTime(box.createdAt)}</span>
        {box.parents.length > 0 && (
          <span>
            {text.madeFrom}{" "}
            {box.parents.map((parent) => (
              <ParentLink key={parent} id={parent} task={task} />
            ))}
          </span>
        )}
      </p>
      {box.cards.length === 0 && <p className="text-muted">{text.emptyBox}</p>}
      <ol className="flex flex-col gap-2">
        {numbered(box.cards).map(({ card, key }) => (
          <CardItem key={key} card={card} />
        ))}
      </ol>
      {box.tasks.length > 0 && (
        <Section title={text.tasksOfBox}>
          <ul className="flex flex-col gap-1">
            {box.tasks.map(({ taskId, profileName, instruction, as }) => (
              <li key={taskId} className="flex flex-wrap items-baseline gap-x-2">
                <span className="text-xs text-muted">{text.boxRoles[as](profileName ?? text.anAgent)}</span>
                <Link href={pathTo("boxes", {}, { task: taskId })}>{instruction}</Link>
              </li>
            ))}
          </ul>
        </Section>
      )}
      {task !== undefined && (
        <Section title={text.tree}>
          <TaskTreeView root={task} />
        </Section>
      )}
    </div>
  );
}

function ParentLink({ id, task }: { readonly id: string; readonly task: string | undefined }): ReactElement {
  const { data } = useApi("boxes.get", { params: { id }, query: {} });
  const name = useBoxName(data);
  return (
    <Link href={pathTo("boxes", { id }, { task })} title={id} className="mr-2 text-accent hover:underline">
      {name}
    </Link>
  );
}

/** A card may be in a box twice. */
function numbered(cards: readonly Card[]): readonly { readonly card: Card; readonly key: string }[] {
  return cards.map((card, index) => ({ card, key: `${index} ${card.id}` }));
}

function CardItem({ card }: { readonly card: Card }): ReactElement {
  const text = useText(handoverText);
  const formats = useFormats();
  const types: Readonly<Record<string, string>> = text.cardTypes;
  return (
    <li data-card={card.id} className="flex flex-col gap-1 rounded-md border border-line bg-raised px-3 py-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted">
        <Hint text={text.originHints[card.origin]}>
          <Tag tone={tones[card.origin]}>{text.origins[card.origin]}</Tag>
        </Hint>
        <span title={card.type} className="font-semibold text-ink">
          {types[card.type] ?? card.type}
        </span>
        {card.authorId !== null && card.authorName !== null && (
          <span>
            {text.by} <Giver id={card.authorId} name={card.authorName} />
          </span>
        )}
        <span className="ml-auto tabular-nums">{text.tokens(formats.number(card.tokens))}</span>
      </div>
      <CardText card={card} />
    </li>
  );
}

/** The one that asked, by its name; anything else as it is. */
function CardText({ card }: { readonly card: Card }): ReactElement {
  const text = useText(handoverText);
  if (card.text === null) return <p className="text-muted italic">{text.deleted}</p>;
  const asked = card.type === "meta.parent_pointer" ? /"parent_agent_id": "(.+)"/u.exec(card.text)?.[1] : undefined;
  if (asked !== undefined) {
    return (
      <p>
        <Giver id={asked} />
      </p>
    );
  }
  return <p className="max-h-96 overflow-y-auto break-words whitespace-pre-wrap">{card.text}</p>;
}
