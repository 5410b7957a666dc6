/** One line of the plot: what a thing costs at each size. */
export interface GrowthLine {
  readonly name: string;
  /** The same in words, for the table beside the plot. */
  readonly what: string;
  readonly points: readonly { readonly size: number; readonly time: number }[];
}

const width = 760;
const height = 440;
const frame = { left: 84, right: width - 150, top: 56, bottom: height - 62 } as const;
const labelGap = 18;

/** Light and dark, each readable on the plot's own ground; the marks differ as well, for those who see no colours. */
const looks = [
  { light: "#0b6e4f", dark: "#4fd8a4", mark: "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z" },
  { light: "#1d4ed8", dark: "#82abff", mark: "M-4 -4h8v8h-8z" },
  { light: "#7c3aed", dark: "#c9a8ff", mark: "M0 -5.5l5.5 5.5l-5.5 5.5l-5.5 -5.5z" },
  { light: "#a34a06", dark: "#f6b766", mark: "M0 -5.5l5.2 9.5h-10.4z" },
  { light: "#be123c", dark: "#ff93a8", mark: "M-5.2 -4.5h10.4l-5.2 9.5z" },
] as const;

/** Both axes go by tens: a line that stays level costs the same whatever the size, one that rises like the dashes grows with it. */
export function growthPlot(lines: readonly GrowthLine[]): string {
  const sizes = [...new Set(lines.flatMap(({ points }) => points.map(({ size }) => size)))].sort((a, b) => a - b);
  const times = lines.flatMap(({ points }) => points.map(({ time }) => time)).filter((time) => time > 0);
  const [low, high] = [Math.floor(Math.log10(Math.min(...times))), Math.ceil(Math.log10(Math.max(...times)))];
  const [first, last] = [Math.log10(sizes[0] ?? 1), Math.log10(sizes.at(-1) ?? 10)];
  const x = (size: number): number =>
    frame.left + ((Math.log10(size) - first) / (last - first)) * (frame.right - frame.left);
  const y = (time: number): number =>
    frame.bottom - ((Math.log10(time) - low) / (high - low)) * (frame.bottom - frame.top);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title desc" font-family="system-ui, sans-serif" font-size="13">`,
    `<title id="title">How cost grows with the number of messages</title>`,
    `<desc id="desc">${escape(description(lines))}</desc>`,
    `<style>${styles()}</style>`,
    `<rect class="ground" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="10"/>`,
    `<text class="head" x="${frame.left - 60}" y="30">Time by number of messages (both axes by tens)</text>`,
    ...decades(low, high).map((time) => timeAxis(time, y(time))),
    ...sizes.map((size) => sizeAxis(size, x(size))),
    `<text class="quiet" x="${(frame.left + frame.right) / 2}" y="${height - 16}" text-anchor="middle">messages (cards for pack)</text>`,
    guide(sizes, { x, y, lowest: 10 ** low, highest: 10 ** high }),
    ...lines.map((line, index) => drawn(line, index, { x, y })),
    ...labels(lines, y),
    "</svg>\n",
  ].join("\n");
}

interface Scales {
  readonly x: (size: number) => number;
  readonly y: (time: number) => number;
}

function styles(): string {
  const rules = (theme: "light" | "dark"): string =>
    looks.map((look, index) => `.l${index}{stroke:${look[theme]}}.f${index}{fill:${look[theme]}}`).join("");
  const base = (ground: string, edge: string, text: string, quiet: string, grid: string): string =>
    `.ground{fill:${ground};stroke:${edge}}text{fill:${text}}.quiet{fill:${quiet}}.grid{stroke:${grid}}.guide{stroke:${quiet}}`;
  const light = base("#ffffff", "#d5d9e0", "#1c2430", "#566070", "#e6e9ee") + rules("light");
  const dark = base("#12161d", "#343c48", "#e8ecf2", "#a2adbc", "#2a313c") + rules("dark");
  return `${light}.head{font-size:15px;font-weight:600}.line{fill:none;stroke-width:2.2;stroke-linejoin:round}.guide{stroke-dasharray:3 5}@media (prefers-color-scheme: dark){${dark}}`;
}

function decades(low: number, high: number): number[] {
  return Array.from({ length: high - low + 1 }, (_, index) => 10 ** (low + index));
}

function timeAxis(time: number, at: number): string {
  const words = time >= 1000 ? `${time / 1000} s` : time >= 1 ? `${time} ms` : `${Number((time * 1000).toFixed(3))} µs`;
  return `<path class="grid" d="M${frame.left} ${round(at)}H${frame.right}"/><text class="quiet" x="${frame.left - 10}" y="${round(at + 4)}" text-anchor="end">${words}</text>`;
}

function sizeAxis(size: number, at: number): string {
  return `<path class="grid" d="M${round(at)} ${frame.top}V${frame.bottom}"/><text class="quiet" x="${round(at)}" y="${frame.bottom + 20}" text-anchor="middle">${size.toLocaleString("en-US")}</text>`;
}

/** What it would look like if ten times the messages took ten times as long. */
function guide(
  sizes: readonly number[],
  { x, y, lowest, highest }: Scales & { readonly lowest: number; readonly highest: number },
): string {
  const [first = 1, last = 1] = [sizes[0], sizes.at(-1)];
  const end = Math.min(last, (first * highest) / lowest);
  const [from, to] = [
    { x: x(first), y: y(lowest) },
    { x: x(end), y: y((lowest * end) / first) },
  ];
  const slope = (Math.atan2(to.y - from.y, to.x - from.x) * 180) / Math.PI;
  const along = 0.72;
  const place = { x: from.x + (to.x - from.x) * along, y: from.y + (to.y - from.y) * along + 18 };
  const turned = `translate(${round(place.x)} ${round(place.y)}) rotate(${round(slope)})`;
  return `<path class="guide" d="M${round(from.x)} ${round(from.y)}L${round(to.x)} ${round(to.y)}"/><text class="quiet" transform="${turned}" text-anchor="middle">in proportion</text>`;
}

function drawn({ points }: GrowthLine, index: number, { x, y }: Scales): string {
  const look = index % looks.length;
  const path = points
    .map(({ size, time }, at) => `${at === 0 ? "M" : "L"}${round(x(size))} ${round(y(time))}`)
    .join("");
  const marks = points.map(
    ({ size, time }) =>
      `<path class="f${look}" transform="translate(${round(x(size))} ${round(y(time))})" d="${looks[look]?.mark ?? ""}"/>`,
  );
  return `<path class="line l${look}" d="${path}"/>${marks.join("")}`;
}

/** Beside the ends of the lines, moved apart where they would lie on each other. */
function labels(lines: readonly GrowthLine[], y: Scales["y"]): string[] {
  const wanted = lines
    .map(({ name, points }, index) => ({ name, index, at: y(points.at(-1)?.time ?? 1) }))
    .sort((a, b) => a.at - b.at);
  let free = frame.top;
  return wanted.map(({ name, index, at }) => {
    const place = Math.max(at, free);
    free = place + labelGap;
    return `<text class="f${index % looks.length}" x="${frame.right + 12}" y="${round(place + 4)}">${escape(name)}</text>`;
  });
}

function description(lines: readonly GrowthLine[]): string {
  const told = lines.map(({ name, points }) => {
    const [from, to] = [points[0], points.at(-1)];
    return `${name}: ${shortTime(from?.time)} at ${from?.size.toLocaleString("en-US")}, ${shortTime(to?.time)} at ${to?.size.toLocaleString("en-US")}`;
  });
  return `A line for each cost, on logarithmic axes; dashes show growth in proportion. ${told.join("; ")}.`;
}

function shortTime(time = 0): string {
  return `${Number(time.toPrecision(2))} ms`;
}

function round(value: number): number {
  return Number(value.toFixed(1));
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
