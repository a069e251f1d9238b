import { readFile } from "node:fs/promises";
import type { IResolvers } from "@graphql-tools/utils";
import { createAnswer } from "../access/answers.js";
import { createContexts } from "../access/context.js";
import { createRepeatables } from "../access/idempotency.js";
import { createExports } from "../actions/emissions/export/exports.js";
import { previewFile } from "../actions/imports/preview.js";
import { createUploads } from "../actions/imports/uploads.js";
import type { Config } from "../config.js";
import { CONSOLE_DOCUMENTS } from "../generated/console-documents.js";
import { scopesOfDocument } from "../graphql/schema/document-scopes.js";
import { createSchema } from "../graphql/schema/schema.js";
import { createSharedCheck } from "../graphql/server/is-shared.js";
import { isComplete } from "../graphql/server/result.js";
import { startGraphqlServer } from "../graphql/server/server.js";
import { identify, readTrustedDocuments } from "../graphql/server/trusted-documents.js";
import type { Arrival } from "../http/arrival.js";
import { TOKEN_PATH } from "../http/surface.js";
import type { Log } from "../log.js";
import { SCHEMA_FILE } from "../paths.js";
import { listDocuments } from "../rest/catalogued.js";
import type { EndpointGroup } from "../rest/endpoint.js";
import { ext } from "../rest/ext/index.js";
import { createTokenEndpoint } from "../rest/oauth/token.js";
import { createRest } from "../rest/router.js";
import { createV1 } from "../rest/v1/index.js";
import type { Core } from "./core.js";
import type { Parts } from "./parts.js";

export interface SurfacesOptions {
  readonly config: Config;
  readonly log: Log;
  /** Served together with schema.graphql and the external API. */
  readonly extension?: Extension;
}

/** Additional types and fields, with their resolvers, and additional endpoints. */
export interface Extension {
  readonly typeDefs: string;
  readonly resolvers: readonly IResolvers[];
  readonly groups: readonly EndpointGroup[];
}

const NO_EXTENSION: Extension = { typeDefs: "", resolvers: [], groups: [] };

export type Surfaces = Awaited<ReturnType<typeof startSurfaces>>;

/** Starts the graph, and the REST endpoints that run its operations. */
export async function startSurfaces(
  { config, log, extension = NO_EXTENSION }: SurfacesOptions,
  core: Core,
  parts: Parts,
) {
  const { resources, caches, admit, admitToV1, admitBasic, admitKey, isHeard } = core;
  const trace = core.tracing.wrap;
  const sdl = (await readFile(SCHEMA_FILE, "utf8")) + extension.typeDefs;
  const schema = createSchema(sdl, extension.resolvers);
  const isShared = createSharedCheck(schema);
  const openContext = createContexts(resources, { rows: caches.rows, wholeLists: false });
  const importing = { mostBytes: config.importMaxBytes, importFile: createUploads(), previewFile };
  const { accounts, certificates: certified } = core;
  const v1 = createV1(
    schema,
    { accounts, importing, exporting: createExports(), certified },
    scopesOfDocument,
  );
  const documents = { ...listDocuments(v1.endpoints), ...(config.console && CONSOLE_DOCUMENTS) };
  const openRepeatable = createRepeatables(resources.database);
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
      introspection: config.introspection,
      trusted: new Map([
        ...identify(documents),
        ...(await readTrustedDocuments(config.trustedDocuments, schema)),
      ]),
      onlyTrusted: config.onlyTrusted,
    }),
  );

  const groups = [ext, v1, ...extension.groups];
  // Without cached rows: an endpoint runs one or two statements, and its answer is cached as a whole.
  const openRestContext = createContexts(resources, { wholeLists: true });
  const answerRest = createRest({
    groups,
    schema,
    admitKey,
    admit: admitToV1,
    admitBasic,
    trace,
    isHeard,
    isShared,
    openContext: openRestContext,
    openRepeatable,
    answer: createAnswer(caches.rest, openRestContext),
    scopesOf: scopesOfDocument,
  });
  const answerToken = createTokenEndpoint({ oauth: core.oauth, consume: core.rateLimiter.consume });
  const answer = (arrival: Arrival) =>
    arrival.path === TOKEN_PATH ? answerToken(arrival) : answerRest(arrival);
  return { sdl, groups, serveGraphql: graphql.serve, answerRest: answer };
}
