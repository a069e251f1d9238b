import { escapeHtml, sourceOf } from "../http/answer/html.js";

/** Content of the home page and the explorers. */
export interface HomeContent {
  /** The gateway's URL, without a trailing slash. */
  readonly url: string;
  /** API key for the sample calls; null for none. */
  readonly demoKey: string | null;
  readonly explorerPath: string;
  readonly graphqlPath: string;
  /** Path of the schema; null if introspection is disabled. */
  readonly schemaPath: string | null;
  readonly endpoints: readonly { readonly path: string; readonly summary: string }[];
}

/** An HTML page with its Content-Security-Policy. */
export interface Page {
  readonly html: string;
  readonly policy: string;
}

const STYLE = `
:root { color-scheme: light dark; --line: #8884; --code: #8881; --link: #0b6b4a; }
@media (prefers-color-scheme: dark) { :root { --link: #5fd3a5; } }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.6 system-ui, sans-serif; }
main { max-width: 46rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; }
h1 { margin: 0 0 .5rem; font-size: 1.9rem; line-height: 1.2; }
h2 { margin: 2.2rem 0 .6rem; padding-top: 1.2rem; border-top: 1px solid var(--line); font-size: 1.15rem; }
a { color: var(--link); }
dt { font-weight: 600; }
dd { margin: 0 0 .7rem; }
code, pre { font: .875rem/1.5 ui-monospace, monospace; }
pre { margin: .6rem 0; padding: .8rem 1rem; border-radius: .5rem; background: var(--code); white-space: pre-wrap; overflow-wrap: anywhere; }
#sandbox:not(:empty) { position: fixed; inset: 0; background: Canvas; }
#sandbox:not(:empty) ~ main { display: none; }
iframe { width: 100%; height: 100%; border: 0; }
`;

/** Directives of the Content-Security-Policy that the home page and Sandbox share. */
export const BASE_POLICY = `style-src ${sourceOf(STYLE)}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** Renders the home page with links to the explorers and sample calls. It runs no script. */
export function renderHome(content: HomeContent): Page {
  return { html: renderDocument(content), policy: `default-src 'none'; img-src data:; ${BASE_POLICY}` };
}

/** Renders the HTML of the home page, with `embed` before its content. */
export function renderDocument(content: HomeContent, embed = ""): string {
  const { url, demoKey, explorerPath, graphqlPath, schemaPath, endpoints } = content;
  const link = (path: string, text = path) => `<a href="${escapeHtml(path)}">${escapeHtml(text)}</a>`;
  const header = `-H 'X-API-Key: ${demoKey ?? "<your key>"}'`;
  const rest = `${url}/api/v1/ext/v1`;
  const calls = [
    `curl ${header} ${rest}${endpoints[0]?.path}`,
    `curl ${header} -H 'Content-Type: application/json' -d '{"query":"{ organization { name } emissions { totalCo2eTonnes } }"}' ${url}${graphqlPath}`,
  ];
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Carbon Gateway</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
${embed}<main>
<h1>Carbon Gateway</h1>
<p>Emission, compliance, carbon-credit, benchmark and market-price data through GraphQL and REST.
Each API key belongs to one organization and sees only that organization's data.</p>

<h2>Explore</h2>
<dl>
<dt>${link(explorerPath, "Altair")}</dt>
<dd>A GraphQL explorer that this server hosts. It needs no internet connection.</dd>
<dt>${link(graphqlPath, "Apollo Sandbox")}</dt>
<dd>A GraphQL explorer that your browser loads from Apollo's site. If it does not load, use ${link(explorerPath, "Altair")}.</dd>
</dl>

<h2>Call</h2>
<p>${demoKey === null ? "Every call needs an API key in the <code>X-API-Key</code> header." : "These calls use the demo key of a made-up organization with sample data."}</p>
${calls.map((call) => `<pre><code>${escapeHtml(call)}</code></pre>`).join("\n")}

<h2>REST endpoints of the external API</h2>
<dl>
${endpoints.map(({ path, summary }) => `<dt><code>GET /api/v1/ext/v1${escapeHtml(path)}</code></dt>\n<dd>${escapeHtml(summary)}</dd>`).join("\n")}
</dl>

<h2>Reference</h2>
<dl>
<dt>${link("/openapi.json")}</dt>
<dd>OpenAPI 3.1 description of all REST endpoints.</dd>
${schemaPath === null ? "" : `<dt>${link(schemaPath)}</dt>\n<dd>GraphQL schema, with the scope that each field needs.</dd>\n`}<dt>README.md and docs/</dt>
<dd>In the project: keys, limits, errors, your own data, and running the gateway.</dd>
</dl>
</main>
</body>
</html>
`;
}
