import type { IResolvers } from "@graphql-tools/utils";
import type { Admission } from "../access/admission.js";
import { createAnswer } from "../access/answers.js";
import { createContexts } from "../access/context.js";
import { createRepeatables } from "../access/idempotency.js";
import { createDirectory } from "../actions/directory/directory.js";
import { createExports } from "../actions/emissions/export/exports.js";
import type { EventRequest } from "../actions/events/read-events.js";
import type { OpenEvents } from "../actions/events/streams.js";
import { previewFile } from "../actions/imports/preview-import.js";
import { createUploads } from "../actions/imports/uploads.js";
import { readVsmeReport } from "../actions/inventory/vsme-report.js";
import { offerTools } from "../catalogue/tools/offer.js";
import type { Config } from "../config.js";
import { CONSOLE_DOCUMENTS } from "../generated/console-documents.js";
import { scopesOfDocument } from "../graphql/schema/document-scopes.js";
import { createSchema, ownDefinitions, ownSchema } from "../graphql/schema/schema.js";
import { createSharedCheck } from "../graphql/server/is-shared.js";
import { isComplete } from "../graphql/server/result.js";
import { createServeStream } from "../graphql/server/serve-stream.js";
import { startGraphqlServer } from "../graphql/server/server.js";
import { identify, readTrustedDocuments } from "../graphql/server/trusted-documents.js";
import type { IncomingCall } from "../http/incoming-call.js";
import { TOKEN_PATH } from "../http/surface.js";
import type { Log } from "../log.js";
import type { Serve } from "../mcp/surface.js";
import { listDocuments } from "../rest/catalogued.js";
import { watchClient } from "../rest/client-signal.js";
import type { EndpointGroup } from "../rest/endpoint.js";
import { ext } from "../rest/ext/index.js";
import { createTokenEndpoint } from "../rest/oauth/token.js";
import { createRest } from "../rest/router.js";
import { createScim } from "../rest/scim/router.js";
import { createSsoEndpoint, isSsoPath } from "../rest/sso/endpoint.js";
import { createV1 } from "../rest/v1/index.js";
import { limitTime } from "../time-limit.js";
import type { Core } from "./core.js";
import { startMcp } from "./mcp.js";
import type { Parts } from "./parts.js";
import { readTools } from "./tools.js";

export interface SurfacesOptions {
  readonly config: Config;
  readonly log: Log;
  /** Additions to schema.graphql and the external API. */
  readonly extension?: Extension;
}

/** Additional types and fields with their resolvers, endpoints, and parts of the Model Context Protocol. */
export interface Extension {
  readonly typeDefs?: string;
  readonly resolvers?: readonly IResolvers[];
  readonly groups?: readonly EndpointGroup[];
  /** Added after the gateway's own parts, so that their handlers take precedence. */
  readonly mcpParts?: readonly Serve[];
}

export type Surfaces = Awaited<ReturnType<typeof startSurfaces>>;

/** Starts GraphQL, REST, MCP, SCIM, the OAuth token endpoint and single sign-on. */
export async function startSurfaces(
  { config, log, extension = {} }: SurfacesOptions,
  core: Core,
  parts: Parts,
) {
  const { typeDefs = "", resolvers = [], groups: addedGroups = [], mcpParts = [] } = extension;
  const { resources, caches, admit, admitToV1, admitToAccount, admitBasic, admitKey, isListening } = core;
  const trace = core.tracing.wrap;
  const sdl = ownDefinitions() + typeDefs;
  const schema = typeDefs === "" ? ownSchema() : createSchema(sdl, resolvers);
  const isShared = createSharedCheck(schema);
  const openContext = createContexts(resources, { rows: caches.rows, wholeLists: false });
  const importing = { maxBytes: config.importMaxBytes, importFile: createUploads(), previewFile };
  const { accounts, certificates: certified } = core;
  const openEvents = createOpenEvents(core);
  const v1 = createV1(
    schema,
    {
      accounts,
      importing,
      exporting: createExports(),
      certified,
      readReport: ({ access }, request) => readVsmeReport(access, request),
      openEvents,
    },
    scopesOfDocument,
  );
  const openRepeatable = createRepeatables(resources.database);
  const { shipped, own, tools } = await readTools(config, schema);
  for (const name of own.keys()) {
    if (shipped.has(name)) log.info({ tool: name }, "MCP_DOCUMENTS replaces a tool");
  }
  offerTools(schema, shipped.values(), tools);
  const documents = {
    ...listDocuments(v1.endpoints),
    ...Object.fromEntries([...shipped.values()].map(({ id, text }) => [id, text])),
    ...(config.console && CONSOLE_DOCUMENTS),
  };
  const trusted = new Map([
    ...identify(documents),
    ...(await readTrustedDocuments(config.trustedDocuments, schema)),
  ]);
  const { introspection, onlyTrusted } = config;
  const graphql = parts.add(
    await startGraphqlServer({
      schema,
      admit,
      isShared,
      openContext,
      openRepeatable,
      trace,
      log,
      openUncached: createContexts(resources, { wholeLists: false }),
      answer: createAnswer(caches.graphql, openContext, isComplete),
      introspection,
      trusted,
      onlyTrusted,
    }),
  );
  const streaming = { schema, admit, openContext, introspection, trusted, onlyTrusted };
  const serveStream = createServeStream({ ...streaming, openSource: openEvents });

  const groups = [ext, v1, ...addedGroups];
  // Without cached rows: an endpoint runs only one or two queries, and its whole response is cached.
  const openRestContext = createContexts(resources, { wholeLists: true });
  const answerRest = createRest({
    groups,
    schema,
    admitKey,
    admit: admitToV1,
    admitToAccount,
    admitBasic,
    trace,
    isListening,
    isShared,
    openContext: openRestContext,
    openRepeatable,
    answer: createAnswer(caches.rest, openRestContext),
    scopesOf: scopesOfDocument,
  });
  const mcp = config.mcp
    ? parts.add(
        startMcp({ config, log }, core, { tools, isShared, openContext: openRestContext, sdl, mcpParts }),
      )
    : undefined;
  const answerToken = createTokenEndpoint({ oauth: core.oauth, consume: core.rateLimiter.consume });
  const answerSso = createSsoEndpoint(core.ssoFlow);
  const { countRequest } = core;
  const directory = createDirectory({
    serviceAccounts: core.serviceAccounts,
    countRequest,
    openContext: openRestContext,
  });
  const answerScim = createScim({ site: resources.site, ...directory });
  const answer = (incomingCall: IncomingCall) => {
    if (incomingCall.surface === "scim") return answerScim(incomingCall);
    if (incomingCall.path === TOKEN_PATH) return answerToken(incomingCall);
    return isSsoPath(incomingCall.path) ? answerSso(incomingCall) : answerRest(incomingCall);
  };
  return {
    sdl,
    groups,
    serveGraphql: graphql.serve,
    serveStream,
    serveMcp: mcp?.serve,
    answerRest: answer,
    prepare: async () => void (await mcp?.prepare()),
  };
}

/** Creates the function that opens a caller's event stream. */
function createOpenEvents({ events, authenticateV1, database }: Core) {
  return (
    incomingCall: IncomingCall,
    { principal }: Admission,
    wanted: EventRequest,
  ): ReturnType<OpenEvents> => {
    const { request, incoming } = incomingCall;
    const renew = (now: Date) =>
      authenticateV1(incoming, {
        now,
        inTime: limitTime(database.timeLimitMs),
        record: { principal: undefined },
        address: () => request.address(),
      });
    return events.open({ principal, renew, signal: watchClient(incomingCall) }, wanted);
  };
}
