import type { ReactElement } from "react";
import { navigate } from "../../frame/navigation-state.ts";
import { Page } from "../../frame/page.tsx";
import { type ThemeChoice, usePreferences } from "../../frame/preferences.ts";
import { pathTo } from "../../frame/routes.ts";
import { ShortcutList } from "../../frame/shortcut-list.tsx";
import type { Language } from "../../i18n/dictionary.ts";
import { settingsText } from "../../i18n/settings.ts";
import { useFormats, useText } from "../../i18n/use-text.ts";
import { Button } from "../../kit/button.tsx";
import { RadioGroup } from "../../kit/radio-group.tsx";
import { Browsers } from "./browsers.tsx";
import { ModelSettings } from "./model-settings.tsx";
import { Section } from "./section.tsx";
import { useApi } from "../../api/use-api.ts";
import { ErrorNotice } from "../../kit/error-notice.tsx";
import { Spinner } from "../../kit/spinner.tsx";

export function SettingsPage(): ReactElement {
  const text = useText(settingsText);
  return (
    <Page title={text.title}>
      <div className="flex flex-col gap-8">
        <Section title={text.appearance} lead={text.kept}>
          <Appearance />
        </Section>
        <Section title={text.models} lead={text.modelsLead}>
          <ModelSettings />
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
    </Page>
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
        options={[
          { id: "en", label: "English" },
          { id: "zh", label: "中文" },
        ]}
      />
      <RadioGroup<ThemeChoice>
        label={text.theme}
        value={theme}
        onChange={(value) => set({ theme: value })}
        options={[
          { id: "system", label: text.system },
          { id: "light", label: text.light },
          { id: "dark", label: text.dark },
        ]}
      />
      <Button
        size="small"
        onPress={() => {
          set({ tourIsDone: false });
          navigate(pathTo("home", {}));
        }}
      >
        {text.tour}
      </Button>
    </div>
  );
}

/** What the daemon is, where it keeps its data, and the names of the secrets that it guards. */
function DaemonFacts(): ReactElement {
  const text = useText(settingsText);
  const formats = useFormats();
  const { data, error, refetch } = useApi("info.get", {});
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return <Spinner />;
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
        <dl className="mt-2 grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-1">
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
