import type { ReactElement } from "react";
import { navigate } from "../../frame/navigation-state.ts";
import { Page } from "../../frame/page.tsx";
import { type ThemeChoice, usePreferences } from "../../frame/preferences.ts";
import { pathTo } from "../../frame/routes.ts";
import { ShortcutList } from "../../frame/shortcut-list.tsx";
import type { Language } from "../../i18n/dictionary.ts";
import { settingsText } from "../../i18n/settings.ts";
import { useText } from "../../i18n/use-text.ts";
import { Button } from "../../kit/button.tsx";
import { RadioGroup } from "../../kit/radio-group.tsx";
import { Browsers } from "./browsers.tsx";
import { DaemonFacts } from "./daemon-facts.tsx";
import { ModelSettings } from "./model-settings.tsx";
import { Section } from "./section.tsx";

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
