import { type Request, type Response, Router } from "express";
import { toString as drawCode } from "qrcode";
import type { PublicCertificate, PublicCertificates } from "../actions/verification/public-certificates.js";
import type { RequestInfo } from "../http/request-info.js";
import { getOnly } from "../http/server/side-server.js";
import { escapeHtml, sourceOf } from "./home.js";

/** Where the public keys of certificates are. */
export const KEYS_PATH = "/.well-known/cgw-certificate-keys.json";

const STYLE = `
:root { color-scheme: light; }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; color: #17211c; background: #fff; }
main { max-width: 44rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; overflow-wrap: break-word; }
header { display: flex; gap: 1.5rem; justify-content: space-between; align-items: flex-start; padding-bottom: 1rem; border-bottom: 2px solid #0b6b4a; }
header svg { width: 8rem; height: 8rem; flex: none; }
h1 { margin: 0; font-size: 1.7rem; line-height: 1.2; }
h2 { margin: 2rem 0 .5rem; font-size: 1.1rem; }
.status { display: inline-block; margin: .8rem 0; padding: .1rem .7rem; border: 2px solid; border-radius: 1rem; font-weight: 600; }
.valid { color: #0b6b4a; } .superseded { color: #8a5a00; } .revoked { color: #a4161a; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: .4rem .2rem; border-bottom: 1px solid #d5ddd9; text-align: left; vertical-align: top; }
td.amount { text-align: right; font-variant-numeric: tabular-nums; }
code { font: .8rem/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
@media print { body { font-size: 12px; } main { padding: 0; } header svg { width: 6rem; height: 6rem; } h2 { margin-top: 1rem; } th, td { padding-block: .15rem; } tr { break-inside: avoid; } a { color: inherit; text-decoration: none; } @page { margin: 1.5cm; } }
`;
const POLICY = `default-src 'none'; style-src ${sourceOf(STYLE)}; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

const SENTENCES = {
  valid: "Valid",
  superseded: "Superseded: the records were opened for changes",
  revoked: "Revoked",
};
const LEVELS: Readonly<Record<string, string>> = { limited: "Limited", reasonable: "Reasonable" };
const OPINIONS = {
  unmodified: "Unmodified: the total is fairly stated",
  modified: "Modified: the total is fairly stated, except for what the verifier named",
  adverse: "Adverse",
  disclaimed: "Disclaimed",
};

const row = (name: string, html: string) => `<tr><th scope="row">${name}</th><td>${html}</td></tr>`;

/** Renders the page about a certificate, which can be printed. It runs no script. */
export async function renderCertificate(certificate: PublicCertificate): Promise<string> {
  const { number, status, organizationName, opinion, supersededBy, issuedAt, url } = certificate;
  const stated = JSON.parse(certificate.statement);
  const { period, scopes, total_co2e_tonnes, level, materiality_pct, record_count } = stated;
  const amount = (name: string, tonnes: string) =>
    `<tr><th scope="row">${escapeHtml(name)}</th><td class="amount">${escapeHtml(tonnes)} tCO₂e</td></tr>`;
  const drawn = await drawCode(url, { type: "svg", margin: 0 });
  const code = drawn.replace("<svg ", '<svg role="img" aria-label="QR code of the link to this page" ');
  const successor =
    supersededBy === null
      ? ""
      : row("Superseded by", `<a href="/certificates/${supersededBy}">${escapeHtml(supersededBy)}</a>`);
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Certificate ${number}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<main>
<header>
<div>
<h1>Certificate ${number}</h1>
<p class="status ${status}">${SENTENCES[status]}</p>
</div>
${code}
</header>
<h2>${escapeHtml(organizationName)}</h2>
<table>
${row("Period", `${escapeHtml(period.from)} to ${escapeHtml(period.to)}`)}
${row("Opinion", OPINIONS[opinion])}
${row("Assurance", `${LEVELS[level]} assurance, materiality ${escapeHtml(materiality_pct)} %`)}
${row("Records", String(Number(record_count)))}
${row("Boundary", "Operational control")}
${row("Issued", issuedAt.slice(0, 10))}
${successor}
</table>
<h2>Verified emissions</h2>
<table>
${scopes.map((each: { scope: string; co2e_tonnes: string }) => amount(each.scope.replace("scope_", "Scope "), each.co2e_tonnes)).join("\n")}
${amount("Total", total_co2e_tonnes)}
</table>
<h2>Signature</h2>
<p>Ed25519 over the statement in UTF-8. The public keys are at <a href="${KEYS_PATH}">${KEYS_PATH}</a>.</p>
<table>
${row("Statement", `<code>${escapeHtml(certificate.statement)}</code>`)}
${row("SHA-256", `<code>${certificate.digest}</code>`)}
${row("Signature", `<code>${certificate.signature}</code>`)}
${row("Key", `<code>${certificate.keyId}</code>`)}
</table>
<p>Check it at <a href="${escapeHtml(url)}">${escapeHtml(url)}</a>.</p>
</main>
</body>
</html>
`;
}

/** Creates the router of what anybody may see of certificates: a page about each, and the public keys (RFC 7517). */
export function createCertificatePages({ find, listKeys }: PublicCertificates): Router {
  const router = Router({ caseSensitive: true });
  const requestOf = (response: Response) => response.locals["request"] as RequestInfo;
  router.all(KEYS_PATH, getOnly);
  router.get(KEYS_PATH, async (_request, response) => {
    const keys = await listKeys(requestOf(response));
    response.set("Cache-Control", "public, max-age=300").json({ keys });
  });
  router.all("/certificates/:number", getOnly);
  router.get("/certificates/:number", async ({ params }: Request<{ number: string }>, response) => {
    const html = await renderCertificate(await find(requestOf(response), params.number));
    response.set({ "Content-Security-Policy": POLICY, "Referrer-Policy": "no-referrer" });
    response.set("Cache-Control", "no-cache").type("html").send(html);
  });
  return router;
}
