import { useCallback, useSyncExternalStore } from "react";
import { create } from "zustand";
import { createJSONStorage, persist } from "zustand/middleware";

export type Language = "en" | "zh";
export type ThemeChoice = "system" | "light" | "dark";
export type Theme = "light" | "dark";

interface Preferences {
  readonly language: Language;
  readonly theme: ThemeChoice;
  readonly tourIsDone: boolean;
  readonly defaultModel: string;
  readonly set: (change: Partial<Omit<Preferences, "set">>) => void;
}

const browserLanguage: Language = navigator.languages[0]?.toLowerCase().startsWith("zh") ? "zh" : "en";

/** What a person has chosen for this browser. public/first-paint.js reads the theme under the same name. */
export const usePreferences = create<Preferences>()(
  persist(
    (set) => ({
      language: browserLanguage,
      theme: "system",
      tourIsDone: false,
      defaultModel: "",
      set: (change) => set(change),
    }),
    {
      name: "galley-studio",
      version: 1,
      storage: createJSONStorage(() => localStorage),
      partialize: ({ language, theme, tourIsDone, defaultModel }) => ({ language, theme, tourIsDone, defaultModel }),
    },
  ),
);

const systemIsDark = window.matchMedia("(prefers-color-scheme: dark)");

/** Whether a window or a system is so now. */
export function useMedia(media: MediaQueryList): boolean {
  const subscribe = useCallback(
    (changed: () => void) => {
      media.addEventListener("change", changed);
      return () => media.removeEventListener("change", changed);
    },
    [media],
  );
  return useSyncExternalStore(subscribe, () => media.matches);
}

/** The theme that shows now, whether chosen or the system's. */
export function useTheme(): Theme {
  const choice = usePreferences((state) => state.theme);
  const isDark = useMedia(systemIsDark);
  if (choice !== "system") return choice;
  return isDark ? "dark" : "light";
}

export function switchTheme(shown: Theme): void {
  usePreferences.setState({ theme: shown === "dark" ? "light" : "dark" });
}

export function switchLanguage(): void {
  usePreferences.setState(({ language }) => ({ language: language === "en" ? "zh" : "en" }));
}
