import { Download, Layers, MessagesSquare } from "lucide-react";
import type { ReactElement } from "react";
import { useApi } from "../../api/use-api.ts";
import { Page } from "../../frame/page.tsx";
import { pathTo } from "../../frame/routes.ts";
import { homeText } from "../../i18n/home.ts";
import { useFormats, useText } from "../../i18n/use-text.ts";
import { RecentList } from "./recent-list.tsx";
import { Link } from "../../frame/link.tsx";

export function HomePage(): ReactElement {
  const text = useText(homeText);
  return (
    <Page title={text.title} header={<p className="text-muted">{text.lead}</p>}>
      <div className="flex flex-col gap-6">
        <section aria-label={text.tryTitle}>
          <h2 className="mb-2 text-base font-semibold">{text.tryTitle}</h2>
          <ul className="grid gap-3 md:grid-cols-3">
            <TryCard
              icon={<Layers aria-hidden size={18} />}
              title={text.composeTitle}
              body={text.composeBody}
              action={text.composeAction}
              href={pathTo("compose", {})}
            />
            <TryCard
              icon={<MessagesSquare aria-hidden size={18} />}
              title={text.chatTitle}
              body={text.chatBody}
              action={text.chatAction}
              href={pathTo("chats", {})}
            />
            <TryCard
              icon={<Download aria-hidden size={18} />}
              title={text.importTitle}
              body={text.importBody}
              action={text.importAction}
              href={pathTo("import", {})}
            />
          </ul>
        </section>
        <div className="grid gap-6 md:grid-cols-3">
          <Presets />
          <Chats />
          <Sessions />
        </div>
      </div>
    </Page>
  );
}

function Presets(): ReactElement {
  const text = useText(homeText);
  const list = useApi("presets.list", {});
  const items = (list.data?.presets ?? []).map(({ id, name, mode, templates, recipes, updatedAt }) => ({
    key: id,
    label: name ?? id,
    // Two presets may have one name, so that the id says which; it need not say the name again.
    note: [
      name !== undefined && name.toLowerCase() !== id.toLowerCase() && id,
      mode === "simple" ? text.presetSimple(templates) : text.presetNote(templates, recipes),
    ]
      .filter(Boolean)
      .join(" · "),
    at: updatedAt,
    href: pathTo("compose", { preset: id }),
  }));
  return (
    <RecentList title={text.presets} empty={text.presetsEmpty} items={items} query={list} all={pathTo("compose", {})} />
  );
}

function Chats(): ReactElement {
  const text = useText(homeText);
  const list = useApi("chats.list", {});
  const items = (list.data?.chats ?? []).map(({ key, preview, updatedAt }) => ({
    key,
    label: key,
    note: preview,
    at: updatedAt,
    href: pathTo("chats", { key }),
  }));
  return <RecentList title={text.chats} empty={text.chatsEmpty} items={items} query={list} all={pathTo("chats", {})} />;
}

function Sessions(): ReactElement {
  const text = useText(homeText);
  const formats = useFormats();
  const list = useApi("sessions.list", {});
  const items = (list.data?.sessions ?? []).map(({ id, calls, inputTokens, updatedAt }) => ({
    key: id,
    label: id,
    note: text.sessionNote(calls, formats.number(inputTokens)),
    at: updatedAt,
    href: pathTo("sessions", { id }),
  }));
  return (
    <RecentList
      title={text.sessions}
      empty={text.sessionsEmpty}
      items={items}
      query={list}
      all={pathTo("sessions", {})}
    />
  );
}

interface TryCardProps {
  readonly icon: ReactElement;
  readonly title: string;
  readonly body: string;
  readonly action: string;
  readonly href: string;
}

function TryCard({ icon, title, body, action, href }: TryCardProps): ReactElement {
  return (
    <li className="flex flex-col gap-1.5 rounded-lg border border-line bg-raised p-4">
      <span className="flex items-center gap-2 text-accent">
        {icon}
        <h3 className="font-semibold text-ink">{title}</h3>
      </span>
      <p className="flex-1 text-muted">{body}</p>
      <Link href={href} className="mt-1 w-fit rounded font-medium text-accent underline-offset-2 hover:underline">
        {action}
      </Link>
    </li>
  );
}
