import { escapeHtml, sourceOf } from "../http/answer/html.js";
import { FIRST_OPERATION, firstHeaders } from "./first-operation.js";
import { BASE_POLICY, type HomeContent, type Page, renderDocument } from "./home.js";

/** The version that the landing page of Apollo Server 5 loads. */
const APOLLO = "https://embeddable-sandbox.cdn.apollographql.com";
const LIBRARY = `${APOLLO}/v2/embeddable-sandbox.umd.production.min.js`;

/** Script that starts Sandbox. Does nothing if the library did not load. */
const START = `
if (window.EmbeddedSandbox) {
  const initialState = JSON.parse(document.querySelector("#sandbox").dataset.state);
  new window.EmbeddedSandbox({
    target: "#sandbox",
    initialEndpoint: location.origin + location.pathname,
    initialState,
    endpointIsEditable: false,
    hideCookieToggle: false,
    runTelemetry: false,
    allowDynamicStyles: false,
  });
}
`;

const POLICY = `script-src ${sourceOf(START)} ${APOLLO}; frame-src https://sandbox.embed.apollographql.com; object-src 'none'; ${BASE_POLICY}`;

/**
 * Renders the page with Apollo Sandbox. Shows the home page until Sandbox has loaded from Apollo's site, or
 * permanently if it does not load.
 */
export function renderSandbox(content: HomeContent): Page {
  const state = {
    document: FIRST_OPERATION,
    headers: firstHeaders(content.demoKey),
    includeCookies: false,
  };
  const embed = `<div id="sandbox" data-state="${escapeHtml(JSON.stringify(state))}"></div>
<script src="${LIBRARY}" defer></script>
<script type="module">${START}</script>
`;
  return { html: renderDocument(content, embed), policy: POLICY };
}
