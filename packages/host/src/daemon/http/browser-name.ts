/** What a browser calls itself, in short. */
export interface BrowserName {
  /** `Firefox 140` */
  readonly name: string;
  /** `macOS`; absent when it does not say. */
  readonly system?: string;
}

// Most browsers claim to be several others as well, so that the more special one comes first.
const browsers: readonly (readonly [string, RegExp])[] = [
  ["Edge", /\bEdg(?:e|A|iOS)?\/(\d{1,4})/],
  ["Opera", /\b(?:OPR|Opera)\/(\d{1,4})/],
  ["Samsung Internet", /\bSamsungBrowser\/(\d{1,4})/],
  ["Firefox", /\b(?:Firefox|FxiOS)\/(\d{1,4})/],
  ["Chrome", /\b(?:HeadlessChrome|Chrome|CriOS|Chromium)\/(\d{1,4})/],
  ["Safari", /\bVersion\/(\d{1,4})[\d.]* (?:Mobile\/\w+ )?Safari\//],
];

const systems: readonly (readonly [string, RegExp])[] = [
  ["Android", /\bAndroid\b/],
  ["iOS", /\b(?:iPhone|iPad|iPod)\b/],
  ["ChromeOS", /\bCrOS\b/],
  ["Windows", /\bWindows\b/],
  ["macOS", /\bMacintosh\b/],
  ["Linux", /\bLinux\b/],
];

const longest = 40;

/** Reads a `User-Agent`. It may say anything: only letters, digits and a few marks of an unknown one are kept. */
export function browserName(userAgent: string): BrowserName {
  const text = userAgent.slice(0, 1000);
  const system = systems.find(([, pattern]) => pattern.test(text))?.[0];
  const known = browsers.flatMap(([name, pattern]) => {
    const version = pattern.exec(text)?.[1];
    return version === undefined ? [] : [`${name} ${version}`];
  });
  const cleaned = text.replace(/[^A-Za-z0-9 ./_-]+/g, " ").trim();
  const name = known[0] ?? cleaned.slice(0, longest).trim();
  return { name, ...(system === undefined ? {} : { system }) };
}
