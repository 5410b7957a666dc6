import type { RouteReply } from "galley/api";
import type { ReactElement } from "react";
import { useAction } from "../../api/use-api.ts";
import { type Language, type ThemeChoice, usePreferences } from "../../browser/preferences.ts";
import { ShortcutList, startTour } from "../../frame/overlays.tsx";
import { Page } from "../../frame/page.tsx";
import { providersText } from "../../i18n/providers.ts";
import { settingsText } from "../../i18n/settings.ts";
import { useFormats, useText } from "../../i18n/use-text.ts";
import { Button } from "../../kit/button.tsx";
import { RadioGroup } from "../../kit/fields.tsx";
import { ErrorNotice, useLoaded } from "../../kit/notices.tsx";
import { Table, type TableColumn } from "../../kit/table.tsx";
import { Tag } from "../../kit/tag.tsx";
import { ModelSettings } from "./model-settings.tsx";
import { ProviderSettings } from "./provider-settings.tsx";
import { Section } from "../../kit/section.tsx";

export function SettingsPage(): ReactElement {
  const text = useText(settingsText);
  const providers = useText(providersText);
  return (
    <Page title={text.title}>
      <div className="flex gap-8">
        <Contents
          titles={[
            providers.providers,
            text.models,
            text.appearance,
            text.browsers,
            text.daemon,
            text.secrets,
            text.keyboard,
          ]}
        />
        <div className="flex min-w-0 flex-1 flex-col gap-8">
          <Section title={providers.providers} lead={providers.lead}>
            <ProviderSettings />
          </Section>
          <Section title={text.models} lead={text.modelsLead}>
            <ModelSettings />
          </Section>
          <Section title={text.appearance} lead={text.kept}>
            <Appearance />
          </Section>
          <Section title={text.browsers} lead={text.browsersLead}>
            <Browsers />
          </Section>
          <DaemonFacts />
          <Section title={text.keyboard} lead={text.keyboardLead}>
            <div className="max-w-md">
              <ShortcutList />
            </div>
          </Section>
        </div>
      </div>
    </Page>
  );
}

/** What the page has, beside it where there is room; a press goes there. */
function Contents({ titles }: { readonly titles: readonly string[] }): ReactElement {
  const text = useText(settingsText);
  const goTo = (title: string): void =>
    document.querySelector(`section[aria-label="${CSS.escape(title)}"]`)?.scrollIntoView({ behavior: "smooth" });
  return (
    <nav aria-label={text.contents} className="sticky top-5 w-40 shrink-0 self-start max-lg:hidden">
      <ul className="-mx-2 flex flex-col items-start">
        {titles.map((title) => (
          <li key={title}>
            <Button look="quiet" size="small" onPress={() => goTo(title)}>
              {title}
            </Button>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Appearance(): ReactElement {
  const text = useText(settingsText);
  const { language, theme, set } = usePreferences();
  return (
    <div className="flex flex-wrap items-end gap-x-10 gap-y-4">
      <RadioGroup<Language>
        label={text.language}
        value={language}
        onChange={(value) => set({ language: value })}
        options={{ en: "English", zh: "中文" }}
      />
      <RadioGroup<ThemeChoice>
        label={text.theme}
        value={theme}
        onChange={(value) => set({ theme: value })}
        options={{ system: text.system, light: text.light, dark: text.dark }}
      />
      <Button size="small" onPress={startTour}>
        {text.tour}
      </Button>
    </div>
  );
}

/** What the daemon is, where it keeps its data, and the names of the secrets that it guards. */
function DaemonFacts(): ReactElement {
  const text = useText(settingsText);
  const formats = useFormats();
  const { data, pending } = useLoaded("info.get", {});
  if (pending) return pending;
  const facts: readonly (readonly [string, string])[] = [
    [text.version, data.version],
    [text.data, data.data],
    [text.store, data.store === "sqlite" ? "SQLite" : "PostgreSQL"],
    [text.project, data.project],
    [text.config, data.config ?? text.noConfig],
    [text.started, formats.dateTime(data.startedAt)],
    [text.pid, String(data.pid)],
  ];
  return (
    <>
      <Section title={text.daemon}>
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-1">
          {facts.map(([name, value]) => (
            <div key={name} className="col-span-2 grid grid-cols-subgrid">
              <dt className="text-muted">{name}</dt>
              <dd className="font-mono text-xs leading-[1.5]">{value}</dd>
            </div>
          ))}
        </dl>
      </Section>
      <Section title={text.secrets} lead={text.secretsLead}>
        {data.secrets.length === 0 && <p>{text.noSecrets}</p>}
        <ul className="grid gap-1">
          {data.secrets.map((name) => (
            <li key={name} className="flex items-center gap-3">
              <span className="font-mono text-xs">{name}</span>
              <span className="text-muted">
                <span aria-hidden>••••••••</span> <span className="text-xs">{text.masked}</span>
              </span>
            </li>
          ))}
        </ul>
      </Section>
    </>
  );
}

type Browser = RouteReply<"browsers.list">["browsers"][number];

/** The browsers that are signed in, each with a button that signs it out. */
function Browsers(): ReactElement {
  const text = useText(settingsText);
  const { data, pending } = useLoaded("browsers.list", {});
  const signOut = useAction("browsers.signOut");
  const signOutOthers = useAction("browsers.signOutOthers");
  const columns = useColumns((id) => signOut.mutate({ params: { id } }));
  if (pending) return pending;
  const refused = signOut.error ?? signOutOthers.error;
  return (
    <div className="flex flex-col gap-2">
      {data.problem !== undefined && <p className="text-warn">{text.notKept(data.problem)}</p>}
      {refused && <ErrorNotice error={refused} />}
      <Table label={text.browsers} rows={data.browsers} rowKey={({ id }) => id} columns={columns} />
      {data.browsers.some(({ isCurrent }) => !isCurrent) && (
        <div>
          <Button size="small" onPress={() => signOutOthers.mutate({})}>
            {text.signOutOthers}
          </Button>
        </div>
      )}
    </div>
  );
}

function useColumns(onSignOut: (id: string) => void): readonly TableColumn<Browser>[] {
  const text = useText(settingsText);
  const formats = useFormats();
  const nameOf = ({ name, system }: Browser): string => {
    const shown = name || text.unknownBrowser;
    return system === undefined ? shown : text.browserOn(shown, system);
  };
  return [
    {
      label: text.browser,
      cell: (browser) => (
        <>
          {nameOf(browser)} {browser.isCurrent && <Tag tone="good">{text.thisBrowser}</Tag>}
        </>
      ),
    },
    { label: text.signedInAt, isExtra: true, cell: ({ signedInAt }) => formats.moment(signedInAt) },
    { label: text.seenAt, cell: ({ seenAt }) => formats.moment(seenAt) },
    { label: text.endsAt, isExtra: true, cell: ({ endsAt }) => formats.moment(endsAt) },
    {
      label: text.signOut,
      cell: (browser) => (
        <Button size="small" aria-label={text.signOutOne(nameOf(browser))} onPress={() => onSignOut(browser.id)}>
          {text.signOut}
        </Button>
      ),
    },
  ];
}
