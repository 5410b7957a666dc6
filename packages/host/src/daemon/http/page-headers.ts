import { hash } from "node:crypto";

/** What every answer carries. */
export const safetyHeaders: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "x-frame-options": "SAMEORIGIN",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
};

/** For our own pages: nothing from elsewhere, and neither script nor style but from files. */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self' blob:",
  "manifest-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** For everything that is not a page. */
export const dataPolicy = "default-src 'none'; frame-ancestors 'none'";

const noteStyle =
  "body{font:16px/1.6 system-ui,sans-serif;max-width:36rem;margin:12vh auto;padding:0 1.5rem;color:#1f2328;background:#fff}" +
  "code{background:#eef0f2;padding:.15em .4em;border-radius:.3em}a{color:inherit}" +
  "@media(prefers-color-scheme:dark){body{color:#e6e8ea;background:#15181b}code{background:#262b30}}";
const notePolicy = `default-src 'none'; style-src 'sha256-${hash("sha256", noteStyle, "base64")}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** A small page that says one thing. */
export function notePage(title: string, lines: readonly string[], status: number): Response {
  const body = lines.map((line) => `<p>${line}</p>`).join("");
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${noteStyle}</style></head><body><h1>${title}</h1>${body}</body></html>`;
  return new Response(html, {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": notePolicy,
      "cache-control": "no-store",
    },
  });
}
