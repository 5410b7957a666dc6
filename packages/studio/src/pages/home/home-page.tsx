import { BookOpen, Download, Footprints, Layers, type LucideIcon, MessagesSquare } from "lucide-react";
import type { ReactElement } from "react";
import { useApi } from "../../api/use-api.ts";
import { usePreferences } from "../../browser/preferences.ts";
import { type Demo, useDemo } from "../../frame/demo.ts";
import { guideAddress } from "../../frame/guide-address.ts";
import { Link, navigate } from "../../frame/location.tsx";
import { startTour } from "../../frame/overlays.tsx";
import { Page } from "../../frame/page.tsx";
import { pathTo } from "../../frame/routes.ts";
import { homeText } from "../../i18n/home.ts";
import { useFormats, useText } from "../../i18n/use-text.ts";
import { Button } from "../../kit/button.tsx";
import { useLoaded } from "../../kit/notices.tsx";
import { Section } from "../../kit/section.tsx";
import { FillMeter } from "../../place/fill-meter.tsx";
import { useSessionNames } from "../../api/session-names.ts";
import { placeOf } from "../../place/place-of.ts";

/** Somebody who knows Studio comes for what was done last; the others begin with what can be tried. */
export function HomePage(): ReactElement {
  const text = useText(homeText);
  const isNew = usePreferences((state) => !state.tourIsDone);
  return (
    <Page title={text.title}>
      <div className="flex flex-col gap-6">
        <p className="max-w-3xl text-base">{text.lead}</p>
        <NextCall />
        {isNew && <Tries />}
        <div className="grid gap-6 md:grid-cols-3">
          <Presets />
          <Chats />
          <Sessions />
        </div>
        {!isNew && <Tries />}
      </div>
    </Page>
  );
}

/** What Galley is for, as a picture that is alive: the next call of the chat that was used last. */
function NextCall(): ReactElement | null {
  const text = useText(homeText);
  const newest = useApi("chats.list", {}).data?.chats[0];
  const body = placeOf(`chat:${newest?.key ?? ""}`);
  const { fill } = useApi("turns.fill", { body }, { isEnabled: newest !== undefined }).data ?? {};
  if (!newest || !fill) return null;
  const title = text.nextCall(newest.title || newest.key);
  return (
    <section aria-label={title} className="rounded-lg border border-line bg-raised p-4">
      <h2 className="mb-2 flex flex-wrap gap-x-3 font-semibold">
        <span className="min-w-0 flex-1 wrap-anywhere">{title}</span>
        <Link href={pathTo("chats", { key: newest.key })}>{text.nextCallOpen}</Link>
      </h2>
      <FillMeter fill={fill} />
    </section>
  );
}

/** What a new user may begin with: the demo itself, in the reader's language. */
function Tries(): ReactElement {
  const text = useText(homeText);
  const openDemo = useDemo();
  const go = async (pathOf: (demo: Demo) => string): Promise<void> => {
    const demo = await openDemo();
    if (demo) navigate(pathOf(demo));
  };
  return (
    <Section title={text.tryTitle}>
      <ul className="grid gap-3 md:grid-cols-3">
        <TryCard
          name="compose"
          icon={Layers}
          onPress={() => void go(({ preset, chat }) => pathTo("compose", { preset }, { source: `chat:${chat}` }))}
        />
        <TryCard
          name="chat"
          icon={MessagesSquare}
          onPress={() => void go(({ chat }) => pathTo("chats", { key: chat }))}
        />
        <TryCard name="import" icon={Download} onPress={() => navigate(pathTo("import", {}))} />
      </ul>
      <p className="mt-3 flex flex-wrap gap-x-4">
        <Button look="quiet" size="small" icon={Footprints} onPress={startTour}>
          {text.takeTour}
        </Button>
        <a
          href={guideAddress}
          target="_blank"
          rel="noreferrer"
          className="inline-flex h-7 items-center gap-1.5 rounded-md px-2 text-xs text-accent hover:bg-sunken"
        >
          <BookOpen aria-hidden size={14} />
          {text.guide}
        </a>
      </p>
    </Section>
  );
}

function Presets(): ReactElement {
  const text = useText(homeText);
  const { number } = useFormats();
  const { data, pending } = useLoaded("presets.list", {});
  const presets = data?.presets ?? [];
  const isShared = (label: string): boolean => presets.filter(({ id, name }) => (name ?? id) === label).length > 1;
  const items = presets.map(({ id, name = id, mode, templates, recipes, updatedAt }) => ({
    key: id,
    // Of two presets with one name, the id says which.
    label: isShared(name) ? `${name} (${id})` : name,
    id,
    note:
      mode === "simple" ? text.presetSimple(number(templates)) : text.presetNote(number(templates), number(recipes)),
    at: updatedAt,
    href: pathTo("compose", { preset: id }),
  }));
  return (
    <RecentList
      title={text.presets}
      empty={text.presetsEmpty}
      items={items}
      pending={pending}
      all={pathTo("compose", {})}
    />
  );
}

function Chats(): ReactElement {
  const text = useText(homeText);
  const { data, pending } = useLoaded("chats.list", {});
  const items = (data?.chats ?? []).map(({ key, title, preview, updatedAt }) => ({
    key,
    label: title || key,
    note: preview,
    at: updatedAt,
    href: pathTo("chats", { key }),
  }));
  return (
    <RecentList title={text.chats} empty={text.chatsEmpty} items={items} pending={pending} all={pathTo("chats", {})} />
  );
}

function Sessions(): ReactElement {
  const text = useText(homeText);
  const formats = useFormats();
  const nameOf = useSessionNames();
  const { data, pending } = useLoaded("sessions.list", {});
  const items = (data?.sessions ?? []).map(({ id, calls, entries, inputTokens = 0, updatedAt }) => ({
    key: id,
    label: nameOf(id),
    note: calls > 0 ? text.sessionNote(calls, formats.number(inputTokens)) : text.logNote(formats.number(entries)),
    at: updatedAt,
    href: pathTo("sessions", { id }),
  }));
  return (
    <RecentList
      title={text.sessions}
      empty={text.sessionsEmpty}
      items={items}
      pending={pending}
      all={pathTo("sessions", {})}
    />
  );
}

interface TryCardProps {
  readonly name: "compose" | "chat" | "import";
  readonly icon: LucideIcon;
  readonly onPress: () => void;
}

function TryCard({ name, icon: Icon, onPress }: TryCardProps): ReactElement {
  const text = useText(homeText);
  return (
    <li className="flex flex-col gap-1.5 rounded-lg border border-line bg-raised p-4">
      <span className="flex items-center gap-2 text-accent">
        <Icon aria-hidden size={18} />
        <h3 className="font-semibold text-ink">{text[`${name}Title`]}</h3>
      </span>
      <p className="flex-1 text-muted">{text[`${name}Body`]}</p>
      <span className="mt-1">
        <Button size="small" onPress={onPress}>
          {text[`${name}Action`]}
        </Button>
      </span>
    </li>
  );
}

interface RecentItem {
  readonly key: string;
  readonly label: string;
  /** In the tooltip, where it says more than the label. */
  readonly id?: string;
  readonly note: string;
  /** 0 for what was always there. */
  readonly at: number;
  readonly href: string;
}

interface RecentListProps {
  readonly title: string;
  readonly empty: string;
  readonly items: readonly RecentItem[];
  readonly pending: ReactElement | undefined;
  /** Where the whole list is. */
  readonly all: string;
}

const shown = 6;

/** The latest few of something, or a sentence that says how the first one comes about. */
function RecentList({ title, empty, items, pending, all }: RecentListProps): ReactElement {
  const text = useText(homeText);
  const formats = useFormats();
  const newest = items.toSorted((a, b) => b.at - a.at).slice(0, shown);
  return (
    <section aria-label={title} className="min-w-0">
      <div className="mb-1 flex items-baseline gap-2 border-b border-line pb-1">
        <h2 className="flex-1 text-base font-semibold">{title}</h2>
        {items.length > shown && <Link href={all}>{`${text.all} (${formats.number(items.length)})`}</Link>}
      </div>
      {pending ?? (items.length === 0 && <p className="py-2 text-muted">{empty}</p>)}
      <ul>
        {newest.map((item) => (
          <li key={item.key}>
            <Link
              href={item.href}
              className="flex flex-col rounded-md px-2 py-1.5 -outline-offset-2 hover:bg-sunken"
              title={[item.id ?? item.label, item.at > 0 && formats.dateTime(item.at)].filter(Boolean).join(" · ")}
            >
              <span className="truncate font-medium">{item.label}</span>
              <span className="flex gap-2 text-xs text-muted">
                <span className="min-w-0 flex-1 truncate">{item.note}</span>
                {item.at > 0 && <span className="shrink-0 tabular-nums">{formats.moment(item.at)}</span>}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
