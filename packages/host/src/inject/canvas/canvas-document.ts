/** What a canvas may consist of. Everything else is shown as text, or left out where it would only be noise. */
const allowed =
  "html|head|title|body|style|" +
  "abbr|address|article|aside|b|bdi|bdo|blockquote|br|button|caption|center|cite|code|col|colgroup|data|dd|del|" +
  "details|dfn|div|dl|dt|em|fieldset|figcaption|figure|font|footer|h[1-6]|header|hgroup|hr|i|img|input|ins|kbd|label|" +
  "legend|li|main|mark|menu|meter|nav|ol|optgroup|option|output|p|picture|pre|progress|q|rp|rt|ruby|s|samp|search|" +
  "section|select|small|span|strike|strong|sub|summary|sup|table|tbody|td|textarea|tfoot|th|thead|time|tr|tt|u|ul|var|" +
  "wbr|" +
  "svg|g|defs|symbol|use|path|rect|circle|ellipse|line|polyline|polygon|text|tspan|textpath|lineargradient|" +
  "radialgradient|stop|clippath|mask|pattern|marker|desc|image|filter|feblend|fecolormatrix|fecomponenttransfer|" +
  "fecomposite|fedropshadow|feflood|fefunc[abgr]|fegaussianblur|femerge|femergenode|femorphology|feoffset|" +
  "animate|animatemotion|animatetransform|set";

const forbiddenStart = new RegExp(`<(?=[/!?a-z])(?!/?(?:${allowed})[\\t\\n\\f\\r />])`, "gi");

/**
 * Makes it impossible that the text holds a tag that is not allowed. Where a tag begins in some state of some browser's
 * parser, there stands `<` and the tag's name in plain letters, since names know no escapes; so a `<` before any other
 * name becomes `&lt;`, whatever is around it. The text is passed through, no tree is built that could grow.
 */
export function disarmHtml(html: string): string {
  return withoutNoise(html).replace(linkTag, "<$1g").replace(forbiddenStart, "&lt;");
}

/**
 * A link leaves every sandbox when it is opened in a new tab (by the middle button, a key, the browser's own menu), and its address
 * may carry anything away. So there are no links: they become groups, which mean nothing in HTML and only hold their parts in SVG.
 */
const linkTag = /<(\/?)a(?=[\t\n\f\r />])/gi;

const hiddenStart = /<(?:!--|(script|noscript|template|iframe|object)(?=[\s/>])[^<>]*>)/gi;
const uselessTag = /<\/?(?:script|noscript|link|meta|base|iframe|object|embed|form)(?=[\s/>])[^<>]*>|<![^<>]*>/gi;

/** Leaves out what is not meant to be read. Only for looks: what it misses is shown, and does no harm. */
function withoutNoise(html: string): string {
  let result = "";
  let from = 0;
  const unclosed = new Set<string>();
  hiddenStart.lastIndex = 0;
  for (let match = hiddenStart.exec(html); match; match = hiddenStart.exec(html)) {
    const name = match[1]?.toLowerCase() ?? "";
    // What is not closed behind one place is not closed behind any later one; to look again would take n² steps.
    if (unclosed.has(name)) continue;
    const end = name === "" ? /-->/g : new RegExp(`</${name}[^<>]*>`, "gi");
    end.lastIndex = hiddenStart.lastIndex;
    if (!end.test(html)) {
      unclosed.add(name);
      continue;
    }
    result += html.slice(from, match.index);
    from = end.lastIndex;
    hiddenStart.lastIndex = from;
  }
  return (result + html.slice(from)).replace(uselessTag, "");
}

const policy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; form-action 'none'; base-uri 'none'";

/** Headers for a server that hands out `canvasDocument`: the document is as harmless when it is opened by itself. */
export const canvasHeaders: Readonly<Record<string, string>> = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": `sandbox; ${policy}; frame-ancestors 'self'`,
  "x-content-type-options": "nosniff",
  "x-dns-prefetch-control": "off",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
};

/**
 * A whole document for a frame: the canvas inside a sandbox of its own. The inner frame runs no script and loads nothing;
 * the outer one lets it go nowhere, not even if something in it could be clicked [I8].
 */
export function canvasDocument({ html, title }: { readonly html: string; readonly title?: string }): string {
  const head = `<!doctype html><html><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">`;
  const inner = `${head}</head><body>${disarmHtml(html)}</body></html>`;
  const style = "html,body,iframe{margin:0;border:0;width:100%;height:100%;display:block}";
  const name = escapeText(title ?? "Canvas");
  return `${head}<title>${name}</title><style>${style}</style></head><body><iframe sandbox title="${name}" srcdoc="${escapeText(inner)}"></iframe></body></html>`;
}

function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
