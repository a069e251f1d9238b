import { BASE_POLICY, escapeHtml, layOut, type Page } from "./home.js";

/** Renders what the links of invitations and sign-ins open: how to use their token. It runs no script. */
export function renderConsole(url: string): Page {
  const post = (path: string, body: string) =>
    `<pre><code>${escapeHtml(`curl -H 'Content-Type: application/json' -d '${body}' ${url}/api/v1/auth/${path}`)}</code></pre>`;
  const main = `<h1>Sign in</h1>
<p>The link that brought you here ends with a token. Copy it from the address bar into one of these calls. It works once.
The password is the one that you will sign in with; with an account, an invitation needs the one that you have.</p>

<h2>After #sign-in=</h2>
${post("link", '{"token":"cgw_lnk_…","password":"…"}')}

<h2>After #invitation=</h2>
${post("register", '{"invitation":"cgw_inv_…","password":"…","name":"…"}')}

<p>The answer has an <code>access_token</code>. Send it as <code>Authorization: Bearer …</code></p>
`;
  return { html: layOut(main), policy: `default-src 'none'; img-src data:; ${BASE_POLICY}` };
}
