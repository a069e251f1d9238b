import type { IncomingMessage } from "node:http";
import { type Document, toText } from "../../domain/directory/attributes.js";
import { refuse, ScimFault } from "../../domain/directory/fault.js";
import { readFilter } from "../../domain/directory/filter.js";
import type {
  GroupResources,
  RequireVersion,
  Resources,
  UserResources,
} from "../../domain/directory/service.js";
import { isObject } from "../../domain/is-object.js";
import type { RateLimitState } from "../../domain/rate-limit.js";
import { matchesEtag } from "../../http/answer/etag.js";
import { READ_METHODS } from "../../http/answer/failure.js";
import { rateLimitHeaders, varyByPerson } from "../../http/answer/headers.js";
import { notJson, readScimJson } from "../../http/body/body.js";
import { answersOptions, type IncomingCall, queryOf } from "../../http/incoming-call.js";
import type { RequestInfo } from "../../http/request-info.js";
import { answerScimFailure, type ScimAnswer, sendScim } from "../../http/scim.js";
import type { Site } from "../../http/site.js";
import { SCIM_PATH } from "../../http/surface.js";
import { describeProvider, describeSchemas, describeTypes, listResponse, MAX_RESULTS } from "./discovery.js";
import { etagOf, type Form, GROUPS, USERS, writeResource } from "./resources.js";
import { isSelected, readSelection, select } from "./selection.js";

/** The caller of the SCIM service, with its hourly limit. */
export interface DirectoryCaller {
  readonly rateLimit: RateLimitState;
}

export interface ScimOptions<Caller extends DirectoryCaller> {
  readonly site: Site;
  /** Authenticates and counts a request. */
  readonly admit: (request: RequestInfo, incoming: IncomingMessage) => Promise<Caller>;
  readonly users: UserResources<Caller>;
  readonly groups: GroupResources<Caller>;
}

/** An admitted request. */
interface Call<Caller> {
  readonly incomingCall: IncomingCall;
  readonly caller: Caller;
  readonly query: URLSearchParams;
  /** URL of the service, without a trailing slash. */
  readonly base: string;
}

type Handler<Caller> = (call: Call<Caller>) => Promise<ScimAnswer> | ScimAnswer;
type Methods<Caller> = Readonly<Record<string, Handler<Caller>>>;

/** A path with its template, for metrics, and its methods. */
interface Route<Caller> {
  readonly pattern: string;
  readonly methods: Methods<Caller>;
}

/** Creates the function that answers requests for /scim/v2 (RFC 7644). Every failure has SCIM's format. */
export function createScim<Caller extends DirectoryCaller>({
  site,
  admit,
  users,
  groups,
}: ScimOptions<Caller>) {
  const routesByName: ReadonlyMap<string, RouteById<Caller>> = new Map([
    ["Users", createRoutes(USERS, users)],
    ["Groups", createRoutes(GROUPS, groups)],
  ]);

  const findRoute = (path: string): Route<Caller> => {
    const [name = "", id, ...more] = path
      .slice(SCIM_PATH.length + 1)
      .replace(/\/$/, "")
      .split("/");
    const found = more.length === 0 ? (routesByName.get(name)?.(id) ?? discover(name, id)) : undefined;
    if (found) return found;
    throw new ScimFault(404, undefined, `There is no ${path.slice(0, 200)}.`);
  };

  return async (incomingCall: IncomingCall): Promise<void> => {
    const { request, incoming, response, path } = incomingCall;
    let headers: Readonly<Record<string, string>> = varyByPerson(incomingCall.headers);
    try {
      const caller = await admit(request, incoming);
      headers = { ...headers, ...rateLimitHeaders(caller.rateLimit, request.now) };
      const { pattern, methods } = findRoute(path);
      request.record.operation = `scim${pattern}`;
      request.record.route = SCIM_PATH + pattern;
      const { method = "" } = incoming;
      const handle = methods[method === "HEAD" ? "GET" : method];
      if (handle === undefined) {
        const allowed = Object.keys(methods).flatMap((name) => (name === "GET" ? [name, "HEAD"] : name));
        return void answersOptions({ ...incomingCall, headers }, [...allowed, "OPTIONS"]);
      }
      const query = queryOf(incoming);
      const answer = await handle({ incomingCall, caller, query, base: site.url() + SCIM_PATH });
      sendScim(response, headers, answer);
    } catch (error) {
      answerScimFailure({ request, response, headers }, error);
    }
  };
}

/** Returns a route of the service's self-description; undefined for any other name. */
function discover<Caller>(name: string, id: string | undefined): Route<Caller> | undefined {
  const one = (describe: (base: string) => object): Route<Caller> => ({
    pattern: `/${name}`,
    methods: { GET: ({ base }) => ({ status: 200, body: describe(base) }) },
  });
  const many = (
    describe: (base: string) => readonly ({ readonly id: string } & object)[],
  ): Route<Caller> => ({
    pattern: id === undefined ? `/${name}` : `/${name}/{id}`,
    methods: {
      GET({ base, query }) {
        if (query.has("filter"))
          throw new ScimFault(403, undefined, "The service's own description cannot be filtered.");
        const items = describe(base);
        if (id === undefined) return { status: 200, body: listResponse(items, 1, items.length) };
        const found = items.find((item) => item.id === decodeURIComponent(id));
        if (found) return { status: 200, body: found };
        throw new ScimFault(404, undefined, `There is no ${name.slice(0, -1)} ${id.slice(0, 100)}.`);
      },
    },
  });
  if (name === "ServiceProviderConfig" && id === undefined) return one(describeProvider);
  if (name === "ResourceTypes") return many(describeTypes);
  return name === "Schemas" ? many(describeSchemas) : undefined;
}

/** Returns the route for an id, for the list if it is undefined, or for `.search`. */
type RouteById<Caller> = (id: string | undefined) => Route<Caller>;

type Stored = Parameters<typeof writeResource>[1];

function createRoutes<Caller, Item extends Stored, Fields>(
  form: Form<Item, Fields>,
  resources: Resources<Caller, Item, Fields>,
): RouteById<Caller> {
  const { type } = form;
  const answer = (
    { incomingCall, query, base }: Call<Caller>,
    item: Item,
    status: 200 | 201 = 200,
  ): ScimAnswer => {
    const etag = etagOf(item.version);
    const { method = "", headers } = incomingCall.incoming;
    if (READ_METHODS.includes(method) && matchesEtag(etag, headers["if-none-match"]))
      return { status: 304, headers: { ETag: etag } };
    const resource = writeResource(form, item, base);
    const selection = readSelection(type, query.getAll("attributes"), query.getAll("excludedAttributes"));
    return {
      status,
      headers: { ETag: etag, ...(status === 201 && { Location: `${base}/${type}s/${item.id}` }) },
      body: select(resource, selection),
    };
  };
  const list = async ({ caller, base }: Call<Caller>, request: SearchRequest): Promise<ScimAnswer> => {
    const startIndex = Math.max(readNumber(request.startIndex, "startIndex", 1), 1);
    const count = Math.min(Math.max(readNumber(request.count, "count", 100), 0), MAX_RESULTS);
    const conditions = readFilter(type, request.filter);
    const selection = readSelection(type, request.attributes, request.excludedAttributes);
    const { total, items } = await resources.list(caller, {
      conditions,
      offset: startIndex - 1,
      count,
      withMembers: isSelected(selection, "members"),
    });
    const selected = items.map((item) => select(writeResource(form, item, base), selection));
    return { status: 200, body: listResponse(selected, startIndex, total) };
  };
  const root: Methods<Caller> = {
    GET: (call) => list(call, searchOf(call.query)),
    POST: async (call) => {
      const fields = form.read(await readBody(call.incomingCall));
      return answer(call, await resources.create(call.caller, fields), 201);
    },
  };
  const search: Methods<Caller> = {
    POST: async (call) => list(call, readSearch(await readBody(call.incomingCall))),
  };
  const one = (id: string): Methods<Caller> => ({
    GET: async (call) => answer(call, await resources.get(call.caller, id)),
    async PUT(call) {
      const fields = form.read(await readBody(call.incomingCall));
      return answer(call, await resources.change(call.caller, id, ifMatch(call), () => fields));
    },
    async PATCH(call) {
      const compute = form.readPatch(await readBody(call.incomingCall));
      return answer(call, await resources.change(call.caller, id, ifMatch(call), compute));
    },
    async DELETE(call) {
      await resources.remove(call.caller, id, ifMatch(call));
      return { status: 204 };
    },
  });
  return (id) => {
    if (id === undefined) return { pattern: `/${type}s`, methods: root };
    if (id === ".search") return { pattern: `/${type}s/.search`, methods: search };
    return { pattern: `/${type}s/{id}`, methods: one(id) };
  };
}

/** Returns the check of a request's If-Match. */
function ifMatch({ incomingCall }: Call<unknown>): RequireVersion {
  const { "if-match": expected } = incomingCall.incoming.headers;
  return (version) => {
    if (expected === undefined || matchesEtag(etagOf(version), expected)) return;
    throw new ScimFault(
      412,
      undefined,
      `The current version is ${etagOf(version)}, which differs from If-Match.`,
    );
  };
}

async function readBody(incomingCall: IncomingCall): Promise<unknown> {
  const body = await readScimJson(incomingCall);
  if (body === undefined) throw notJson(incomingCall.incoming);
  return body;
}

/** The parameters of a list. */
interface SearchRequest {
  readonly filter: string | undefined;
  readonly startIndex: unknown;
  readonly count: unknown;
  readonly attributes: readonly string[];
  readonly excludedAttributes: readonly string[];
}

const searchOf = (query: URLSearchParams): SearchRequest => ({
  filter: query.get("filter") ?? undefined,
  startIndex: query.get("startIndex") ?? undefined,
  count: query.get("count") ?? undefined,
  attributes: query.getAll("attributes"),
  excludedAttributes: query.getAll("excludedAttributes"),
});

/** Reads the body of a search (RFC 7644, section 3.4.3). */
function readSearch(body: unknown): SearchRequest {
  if (!isObject(body)) return refuse("invalidSyntax", "body: expected a JSON object");
  const { filter, startIndex, count, attributes, excludedAttributes } = body as Document;
  if (filter !== undefined && typeof filter !== "string")
    return refuse("invalidFilter", "filter: expected a string");
  const names = (value: unknown) =>
    Array.isArray(value) ? value.filter((name) => typeof name === "string") : [];
  return {
    filter,
    startIndex,
    count,
    attributes: names(attributes),
    excludedAttributes: names(excludedAttributes),
  };
}

function readNumber(value: unknown, place: string, fallback: number): number {
  if (value === undefined || value === null) return fallback;
  const text = toText(value);
  if (!/^-?\d{1,9}$/.test(text)) return refuse("invalidValue", `${place}: expected a whole number`);
  return Number(text);
}
