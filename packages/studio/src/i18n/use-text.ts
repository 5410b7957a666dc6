import { type Language, usePreferences } from "../browser/preferences.ts";
import { type Dictionary, locales } from "./dictionary.ts";
import { meaningOf } from "./error-meanings.ts";

export function useLanguage(): Language {
  return usePreferences((state) => state.language);
}

/** The texts of a page in the language that is chosen. */
export function useText<Text>(texts: Dictionary<Text>): Text {
  return texts[useLanguage()];
}

/** What the code of an error means, where the chosen language is another than that of the error; for what is said once. */
export function meaningNow(code: string): string | undefined {
  return meaningOf(code, usePreferences.getState().language);
}

export interface Formats {
  readonly number: (value: number) => string;
  readonly percent: (share: number) => string;
  readonly dateTime: (when: string | number | Date) => string;
  /** As short as it can be said: of today only the time, of this year without the year. */
  readonly moment: (when: string | number) => string;
}

/** Numbers and dates as the chosen language writes them. */
export function useFormats(): Formats {
  return formatsOf(useLanguage());
}

const made = new Map<Language, Formats>();

function formatsOf(language: Language): Formats {
  const known = made.get(language);
  if (known) return known;
  const number = new Intl.NumberFormat(locales[language]);
  const percent = new Intl.NumberFormat(locales[language], { style: "percent", maximumFractionDigits: 1 });
  const dateTime = new Intl.DateTimeFormat(locales[language], { dateStyle: "medium", timeStyle: "short" });
  const time = new Intl.DateTimeFormat(locales[language], { timeStyle: "short" });
  const day = new Intl.DateTimeFormat(locales[language], {
    month: "short",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
  });
  const formats: Formats = {
    number: (value) => number.format(value),
    percent: (share) => percent.format(share),
    dateTime: (when) => dateTime.format(new Date(when)),
    moment: (when) => {
      const [date, now] = [new Date(when), new Date()];
      if (date.toDateString() === now.toDateString()) return time.format(date);
      return (date.getFullYear() === now.getFullYear() ? day : dateTime).format(date);
    },
  };
  made.set(language, formats);
  return formats;
}
