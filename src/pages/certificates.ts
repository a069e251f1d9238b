import { type Request, type Response, Router } from "express";
import type { PublicCertificate, PublicCertificates } from "../actions/verification/public-certificates.js";
import { capitalize } from "../domain/texts/capitalize.js";
import { countOf } from "../domain/texts/count-of.js";
import { ASSURANCE, writeConclusion } from "../domain/verification/conclusion.js";
import { readStatement, type StatementContent } from "../domain/verification/statement.js";
import { AppError } from "../errors.js";
import { escapeHtml, sourceOf } from "../http/answer/html.js";
import { servePublicDocument } from "../http/answer/public-document.js";
import type { RequestInfo } from "../http/request-info.js";
import { getOnly } from "../http/server/side-server.js";

/** Path of the public keys of certificates. */
export const KEYS_PATH = "/.well-known/cgw-certificate-keys.json";

const STYLE = `
:root { color-scheme: light; }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; color: #17211c; background: #fff; }
main { max-width: 44rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; overflow-wrap: break-word; }
header { display: flex; gap: 1.5rem; justify-content: space-between; align-items: flex-start; padding-bottom: 1rem; border-bottom: 2px solid #0b6b4a; }
header svg { width: 8rem; height: 8rem; flex: none; }
h1 { margin: 0; font-size: 1.7rem; line-height: 1.2; }
header + table { margin-top: 1.5rem; }
h2 { margin: 2rem 0 .5rem; font-size: 1.1rem; }
small { color: #55635c; font-size: .9rem; font-weight: normal; }
.status { display: inline-block; margin: .8rem 0; padding: .1rem .7rem; border: 2px solid; border-radius: 1rem; font-weight: 600; }
.valid { color: #0b6b4a; } .superseded { color: #8a5a00; } .revoked { color: #a4161a; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: .4rem .2rem; border-bottom: 1px solid #d5ddd9; text-align: left; vertical-align: top; }
th { padding-right: 1.5rem; white-space: nowrap; }
td.amount { text-align: right; font-variant-numeric: tabular-nums; }
code { font: .8rem/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
@media print { body { font-size: 12px; } main { padding: 0; } header svg { width: 6rem; height: 6rem; } h2 { margin-top: 1rem; } th, td { padding-block: .15rem; } tr { break-inside: avoid; } a { color: inherit; text-decoration: none; } @page { margin: 1.5cm; } }
`;
const POLICY = `default-src 'none'; style-src ${sourceOf(STYLE)}; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

const SENTENCES = {
  valid: "Valid",
  superseded: "Superseded: the records were reopened for changes",
  revoked: "Revoked",
};

const NUMBERS = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 20 });
const DAYS = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });
const writeNumber = (decimal: string) => NUMBERS.format(decimal as Intl.StringNumericLiteral);
const writeDay = (day: string) => DAYS.format(new Date(day));

const row = (name: string, html: string) => `<tr><th scope="row">${name}</th><td>${html}</td></tr>`;

/** Describes a boundary. In the first format of statements it is only an approach. */
function writeBoundary(boundary: NonNullable<StatementContent["boundary"]>): string {
  if (typeof boundary === "string") return "Operational control";
  const { approach, entities, facilities } = boundary;
  const count = (number: number, noun: string) => countOf(number, noun, (value) => NUMBERS.format(value));
  const named = capitalize(approach).replaceAll("_", " ");
  return `${named}, ${count(entities, "entity")}, ${count(facilities, "facility")}`;
}

/**
 * Renders the printable page about a certificate, without scripts. Everything it presents as certified is in the signed
 * statement. The organization's current name is not: it follows the words `now called`.
 */
export async function renderCertificate(certificate: PublicCertificate): Promise<string> {
  const { number, status, organizationNameNow, supersededBy, issuedAt, url } = certificate;
  const { organization, verifier, period, scopes, opinion, level, issued_on, inventory, ...stated } =
    readStatement(certificate.statement);
  const byMarket = stated.scope_2_market_based_co2e_tonnes;
  const amount = (name: string, tonnes: string) =>
    `<tr><th scope="row">${escapeHtml(name)}</th><td class="amount">${writeNumber(tonnes)} tCO₂e</td></tr>`;
  // Imported on demand, because it would add 40 ms to every start.
  const { toString: drawCode } = await import("qrcode");
  const drawn = await drawCode(url, { type: "svg", margin: 0 });
  const code = drawn.replace("<svg ", '<svg role="img" aria-label="QR code of the link to this page" ');
  const successor =
    supersededBy === null
      ? ""
      : row("Superseded by", `<a href="/certificates/${supersededBy}">${escapeHtml(supersededBy)}</a>`);
  const nameNow =
    organizationNameNow === organization
      ? ""
      : ` <small>now called ${escapeHtml(organizationNameNow)}</small>`;
  const verifiedBy =
    verifier === null ? "" : row("Verified by", escapeHtml(`${verifier.name}, ${verifier.organization}`));
  const html = `<header>
<div>
<h1>Certificate ${number}</h1>
<p class="status ${status}">${SENTENCES[status]}</p>
</div>
${code}
</header>
<table>
${row("Verified for", `${escapeHtml(organization)}${nameNow}`)}
${verifiedBy}
${row("Period", `${writeDay(period.from)} to ${writeDay(period.to)}`)}
${row("Level", ASSURANCE[level])}
${row("Conclusion", escapeHtml(writeConclusion(level, opinion)))}
${row("Materiality", `${writeNumber(stated.materiality_pct)} %`)}
${row("Records", writeNumber(String(stated.record_count)))}
${stated.boundary === null ? "" : row("Boundary", writeBoundary(stated.boundary))}
${inventory === null ? "" : row("Inventory", `${inventory.year}, issue ${inventory.issue} (${inventory.basis}), SHA-256 <code>${inventory.digest}</code>`)}
${row("Issued", writeDay(issued_on ?? issuedAt))}
${successor}
</table>
<h2>Verified emissions</h2>
<table>
${scopes.map((each) => amount(each.scope.replace("scope_", "Scope "), each.co2e_tonnes)).join("\n")}
${byMarket === null ? "" : amount("Scope 2, market-based, not in the total", byMarket)}
${amount("Total", stated.total_co2e_tonnes)}
</table>
<h2>Signature</h2>
<p>Ed25519 over the statement in UTF-8. The public keys are at <a href="${KEYS_PATH}">${KEYS_PATH}</a>.</p>
<table>
${row("Statement", `<code>${escapeHtml(certificate.statement)}</code>`)}
${row("SHA-256", `<code>${certificate.digest}</code>`)}
${row("Signature", `<code>${certificate.signature}</code>`)}
${row("Key", `<code>${certificate.keyId}</code>`)}
</table>
<p>Verify it at <a href="${escapeHtml(url)}">${escapeHtml(url)}</a>.</p>`;
  return renderPage(`Certificate ${number}`, html);
}

/** Renders the page for an unknown number, or for one that cannot be looked up at the moment. */
const renderFailure = ({ status, message }: AppError): string => {
  const isUnknown = status === 404;
  const title = isUnknown ? "No certificate" : "Certificate not shown";
  const advice = isUnknown ? " Check the number at the top of the certificate." : "";
  return renderPage(title, `<h1>${title}</h1>\n<p>${escapeHtml(message)}${advice}</p>`);
};

const renderPage = (title: string, html: string): string => `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<main>
${html}
</main>
</body>
</html>
`;

/** Creates the router of the public pages: certificates, and the public keys (RFC 7517). */
export function createCertificatePages({ find, listKeys }: PublicCertificates): Router {
  const router = Router({ caseSensitive: true });
  const requestOf = (response: Response) => response.locals["request"] as RequestInfo;
  let served = { text: "", serve: servePublicDocument("json", () => "") };
  router.all(KEYS_PATH, getOnly);
  router.get(KEYS_PATH, async (request, response, next) => {
    const text = JSON.stringify({ keys: await listKeys(requestOf(response)) });
    if (text !== served.text) served = { text, serve: servePublicDocument("json", () => text) };
    return served.serve(request, response, next);
  });
  router.all("/certificates/:number", getOnly);
  router.get("/certificates/:number", async (request: Request<{ number: string }>, response) => {
    response.vary("Accept");
    const html = await find(requestOf(response), request.params.number).then(renderCertificate, (error) => {
      // Programs get the JSON envelope.
      if (!(error instanceof AppError) || request.accepts(["json", "html"]) !== "html") throw error;
      response.status(error.status).set(error.headers);
      return renderFailure(error);
    });
    response.set({ "Content-Security-Policy": POLICY, "Referrer-Policy": "no-referrer" });
    response.set("Cache-Control", "no-cache").type("html").send(html);
  });
  return router;
}
