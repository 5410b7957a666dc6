/** A part of a page that a program writes, by the comments around it. */
export interface Marks {
  readonly begin: string;
  readonly end: string;
}

/** The page with this text in the place of what stands between the marks; all else stays as it is. */
export function replaceMarked(page: string, { begin, end }: Marks, text: string): string {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from)
    throw new Error(`The page lacks the lines ${begin} and ${end}, the marks of what is written there.`);
  return `${page.slice(0, from + begin.length)}\n\n${text}\n\n${page.slice(to)}`;
}
