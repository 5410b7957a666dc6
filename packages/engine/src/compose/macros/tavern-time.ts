/** A macro that may tell the time, and what it is told by. */
interface TimeCall {
  readonly name: string;
  readonly args: readonly string[];
}

interface TimeContext {
  readonly now?: string | undefined;
  readonly isFirst: boolean;
}

const days = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");
const months = "January February March April May June July August September October November December".split(" ");

/** The first of January 1970 was a Thursday; times before it count backwards. */
function weekdayOf(year: number, month: number, day: number): number {
  return (((dayNumber(year, month, day) + 4) % 7) + 7) % 7;
}

const timeMacros: ReadonlySet<string> = new Set(["time", "date", "weekday", "isotime", "isodate", "datetimeformat"]);

/** The time is read only where a macro tells it: texts without one hold for any time. */
export function runTime(call: TimeCall, context: TimeContext): string | undefined {
  const { name, args } = call;
  if (name === "timediff" && !context.isFirst) return timeDifference(args[0] ?? "", args[1] ?? "");
  if (!timeMacros.has(name) || (name === "datetimeformat" && context.isFirst)) return undefined;
  const match = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})/.exec(context.now ?? "");
  if (!match) return undefined;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0] = match.slice(1).map(Number);
  const minutes = String(minute).padStart(2, "0");
  switch (name) {
    case "time":
      return `${hour % 12 || 12}:${minutes} ${hour < 12 ? "AM" : "PM"}`;
    case "date":
      return `${months[month - 1]} ${day}, ${year}`;
    case "weekday":
      return days[weekdayOf(year, month, day)];
    case "isotime":
      return `${String(hour).padStart(2, "0")}:${minutes}`;
    case "isodate":
      return `${match[1]}-${match[2]}-${match[3]}`;
    case "datetimeformat":
      return format(args.join("::").trim(), { year, month, day, hour, minute });
    default:
      return undefined;
  }
}

interface Moment {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
}

/** The letters of moment.js that people use; text in square brackets stays as it is. */
function format(pattern: string, { year, month, day, hour, minute }: Moment): string {
  const two = (value: number): string => String(value).padStart(2, "0");
  const weekday = days[weekdayOf(year, month, day)] ?? "";
  const monthName = months[month - 1] ?? "";
  const values: Readonly<Record<string, string>> = {
    YYYY: String(year),
    YY: String(year).slice(-2),
    MMMM: monthName,
    MMM: monthName.slice(0, 3),
    MM: two(month),
    M: String(month),
    DD: two(day),
    D: String(day),
    dddd: weekday,
    ddd: weekday.slice(0, 3),
    HH: two(hour),
    H: String(hour),
    hh: two(hour % 12 || 12),
    h: String(hour % 12 || 12),
    mm: two(minute),
    m: String(minute),
    ss: "00",
    s: "0",
    A: hour < 12 ? "AM" : "PM",
    a: hour < 12 ? "am" : "pm",
  };
  return pattern.replace(
    /\[([^\]]*)\]|YYYY|YY|M{1,4}|D{1,2}|d{3,4}|H{1,2}|h{1,2}|m{1,2}|s{1,2}|A|a/g,
    (letters, text?: string) => text ?? values[letters] ?? letters,
  );
}

const minuteLength = 60_000;
const dayLength = 1440 * minuteLength;
/** Up to how long each is said, with its length; the last has no end. */
const spans: readonly (readonly [below: number, length: number, one: string, many: string])[] = [
  [45_000, Infinity, "a few seconds", ""],
  [45 * minuteLength, minuteLength, "a minute", "minutes"],
  [22 * 60 * minuteLength, 60 * minuteLength, "an hour", "hours"],
  [26 * dayLength, dayLength, "a day", "days"],
  [320 * dayLength, 30.4 * dayLength, "a month", "months"],
  [Infinity, 365 * dayLength, "a year", "years"],
];

/** How far one time lies from another, in words. */
function timeDifference(time: string, from: string): string | undefined {
  const words = sayDuration(from, time);
  if (words === undefined) return undefined;
  return timeOf(time) > timeOf(from) ? `in ${words}` : `${words} ago`;
}

/** The time between two times, in words. */
export function sayDuration(from: string | number, to: string | number): string | undefined {
  const size = Math.abs(timeOf(to) - timeOf(from));
  if (Number.isNaN(size)) return undefined;
  const [, length = 1, one = "", many = ""] = spans.find(([below]) => size < below) ?? [];
  const count = Math.round(size / length);
  return count <= 1 ? one : `${count} ${many}`;
}

/** Milliseconds since 1970 of an ISO time; one without a zone counts as UTC. */
function timeOf(time: string | number): number {
  if (typeof time === "number") return time;
  const match = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2}))?[^Z+-]*(?:([+-])(\d{2}):?(\d{2}))?)?/.exec(
    time.trim(),
  );
  if (!match) return Number.NaN;
  const part = (index: number): number => Number(match[index] ?? 0);
  const zone = (match[7] === "-" ? -1 : 1) * (part(8) * 60 + part(9));
  const minutes = dayNumber(part(1), part(2), part(3)) * 1440 + part(4) * 60 + part(5) - zone;
  return minutes * minuteLength + part(6) * 1000;
}

/** Days since 1970, by the calendar that begins its year in March. */
function dayNumber(year: number, month: number, day: number): number {
  const own = month < 3 ? year - 1 : year;
  const leaps = Math.floor(own / 4) - Math.floor(own / 100) + Math.floor(own / 400);
  return 365 * own + leaps + Math.floor((153 * (month + (month < 3 ? 9 : -3)) + 2) / 5) + day - 719_469;
}
