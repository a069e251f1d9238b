import { readFile } from "node:fs/promises";
import {
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLString,
  getNamedType,
  isIntrospectionType,
  isObjectType,
  parse,
} from "graphql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { prepareEndpoint } from "../../src/catalogue/prepare.js";
import { KEY_SCOPES, satisfies } from "../../src/domain/scopes.js";
import { EXAMPLES, OPERATIONS } from "../../src/generated/catalogue.js";
import { scopesOfDocument } from "../../src/graphql/schema/document-scopes.js";
import { createSchema } from "../../src/graphql/schema/schema.js";
import { requiredScopes } from "../../src/graphql/schema/scope-directive.js";
import { SCHEMA_FILE } from "../../src/paths.js";
import { createCataloguedEndpoints } from "../../src/rest/catalogued.js";
import type { OperationEndpoint } from "../../src/rest/endpoint.js";
import { endpoints } from "../../src/rest/ext/index.js";
import { mutationsOf } from "../support/mutations.js";
import { BY_ID, FOR_PEOPLE, NEEDS_POLICY, ROOT_ARGUMENTS } from "../support/selections.js";
import { type Gateway, makeKey, makeOrganization, startGateway } from "../support/server.js";

const schema = createSchema(await readFile(SCHEMA_FILE, "utf8"));
const rootFields = Object.values((schema.getQueryType() as GraphQLObjectType).getFields());

/** Root fields without a scope: their answers belong to the caller or to everyone. */
const OPEN = [
  "organization",
  "rateLimit",
  "viewer",
  "caller",
  "members",
  "conversations",
  "conversation",
  "cbamEstimate",
  "cbamGoods",
  "activeAnnouncements",
];

/** Root fields about emissions, besides those whose types other scopes reach too. */
const OF_EMISSIONS = rootFields
  .filter((field) => JSON.stringify(requiredScopes(schema, field)[0]) === '[["read:emissions"]]')
  .map(({ name }) => name)
  .filter((name) => !/^(emissions|imports|verification.*|\w+Changes)$/.test(name));

/** Types without data, and so without a scope: their page needs the scope. */
const WITHOUT_DATA = ["PageInfo"];

/** Types of what is computed from a module's monthly amounts: reached through fields of the module, which need its scope. */
const OF_MODULES = [
  "Forecast",
  "ForecastModel",
  "ForecastPoint",
  "ForecastInterval",
  "Backtest",
  "BacktestMethod",
  "Predictions",
  "Prediction",
  "CumulativePrediction",
  "Anomalies",
  "AnomalySeries",
  "SkippedSeries",
  "Anomaly",
  "AnomalyConnection",
  "AnomalyEdge",
  "AnomalyAcknowledgement",
  "Insight",
  "InsightFigure",
  "InsightQuery",
];

/** Types of the changes of any collection: reached through the field of the collection, which needs its scope. */
const OF_CHANGES = ["Changes", "ChangesAsOf", "Change"];

/** Returns a type and all object types with data below it. */
function typesBelow(type: GraphQLNamedType, found = new Set<GraphQLObjectType>()): Set<GraphQLObjectType> {
  const isOfAll = [...WITHOUT_DATA, ...OF_MODULES, ...OF_CHANGES].includes(type.name);
  if (!isObjectType(type) || found.has(type) || isOfAll) return found;
  found.add(type);
  for (const field of Object.values(type.getFields())) typesBelow(getNamedType(field.type), found);
  return found;
}

describe("schema.graphql", () => {
  it("requires a scope at every root field except those of every caller and every user", () => {
    const scopes = rootFields.map((field) => [field.name, requiredScopes(schema, field)] as const);
    expect(scopes.filter(([, required]) => required.length === 0).map(([name]) => name)).toEqual(OPEN);
    // Once for the field's own directive, once for that of the type it returns: one scope, the same at both. Events are of
    // several areas, and a caller sees those of the scopes that it has.
    const asking = scopes.filter(([name, required]) => required.length > 0 && name !== "events");
    expect(asking).toEqual(
      asking.map(([name, [first]]) => {
        const scope = first?.[0]?.[0];
        return [name, name.endsWith("Changes") ? [[[scope]]] : [[[scope]], [[scope]]]];
      }),
    );
    const modules = KEY_SCOPES.map((scope) => [scope.replace("read:", ""), [[[scope]], [[scope]]]]);
    expect(scopes).toEqual(expect.arrayContaining(modules));
  });

  it.each<[scope: string, field: string]>([
    ...KEY_SCOPES.map((scope): [string, string] => [scope, scope.replace("read:", "")]),
    ...OF_EMISSIONS.map((field): [string, string] => ["read:emissions", field]),
    ["read:audit", "auditLog"],
  ])("asks for %s on every type below its root field, however it is reached", (scope, field) => {
    const root = rootFields.find(({ name }) => name === field);
    const types = root ? [...typesBelow(getNamedType(root.type))] : [];
    const asked = types.map((type) => [
      type.name,
      requiredScopes(schema, { type, astNode: null, extensions: {} }),
    ]);
    expect(types.length).toBeGreaterThan(0);
    expect(asked).toEqual(types.map((type) => [type.name, [[[scope]]]]));
  });

  it("reaches computed data of a module only through that module", () => {
    const holders = Object.values(schema.getTypeMap()).filter(
      (type) => isObjectType(type) && !OF_MODULES.includes(type.name),
    );
    const reaching = (holders as GraphQLObjectType[]).flatMap((type) =>
      Object.values(type.getFields())
        .filter((field) => OF_MODULES.includes(getNamedType(field.type).name))
        .map(() => type.name),
    );
    expect([...new Set(reaching)].toSorted()).toEqual([
      "AcknowledgeAnomalyPayload",
      "Compliance",
      "CreditPortfolio",
      "EmissionContribution",
      "Emissions",
      "Market",
      "WithdrawAcknowledgementPayload",
    ]);
  });

  it("leaves only types without a scope that any caller may read or that hold no data", () => {
    const open = Object.values(schema.getTypeMap()).filter(
      (type) =>
        isObjectType(type) &&
        !isIntrospectionType(type) &&
        !type.name.endsWith("Payload") &&
        requiredScopes(schema, { type, astNode: null, extensions: {} }).length === 0,
    );
    const ofPeople = ["Viewer", "User", "Membership", "Member", "MemberConnection", "MemberEdge"];
    ofPeople.push("SecondFactors", "Passkey", "Identity");
    const ofNotifications = ["Preferences", "Connection", "Edge", ""].map((part) => `Notification${part}`);
    const ofSessions = ["Session", "SessionConnection", "SessionEdge"];
    const ofKeys = ["Query", "Organization", "RateLimit", "Announcement"];
    const ofEstimates = ["Good", "Estimate", "Price", "DeMinimis", "Line", "Total", "Year", "Source"];
    const ofChats = ["ChatMessage", "ChatAnswer", "ChatFigure", "ChatQuery", "ChatSource"];
    const ofConversations = [
      "Conversation",
      "ConversationConnection",
      "ConversationEdge",
      "WholeConversation",
    ];
    const ofCallers = ["Caller", "CallingServiceAccount", "CallingToken", "ServiceAccountName"];
    const names = [
      ...ofCallers,
      ...ofChats,
      ...ofConversations,
      ...ofKeys,
      ...ofEstimates.map((name) => `Cbam${name}`),
      ...ofPeople,
      ...ofSessions,
      ...ofNotifications,
      "Mutation",
      "Subscription",
      ...WITHOUT_DATA,
      ...OF_MODULES,
      ...OF_CHANGES,
    ];
    expect(open.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
    const fields = WITHOUT_DATA.map((name) => (schema.getType(name) as GraphQLObjectType).getFields());
    expect(fields.map((fieldsOfType) => Object.keys(fieldsOfType))).toEqual([
      ["hasNextPage", "hasPreviousPage", "startCursor", "endCursor"],
    ]);
  });

  it("requires the same scopes on a payload as on its mutation", () => {
    const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});
    const scopesOf = (type: GraphQLOutputType) =>
      requiredScopes(schema, { type, astNode: null, extensions: {} });
    for (const { name, type, astNode, extensions } of mutations) {
      const own = requiredScopes(schema, { type: GraphQLString, astNode, extensions });
      expect([name, scopesOf(type)]).toEqual([name, own]);
    }
  });

  it("has no field that leads a key to data of another scope", () => {
    const owners = new Map<string, Set<string>>();
    for (const root of rootFields.filter(({ name }) => !FOR_PEOPLE.includes(name)))
      for (const { name } of typesBelow(getNamedType(root.type)))
        owners.set(name, (owners.get(name) ?? new Set()).add(JSON.stringify(requiredScopes(schema, root))));
    expect([...owners].filter(([, scopes]) => scopes.size > 1)).toEqual([]);
  });
});

describe("an endpoint", () => {
  it.each(endpoints.map((endpoint) => [endpoint.path, endpoint] as const))(
    "%s declares the one scope that its query needs",
    (_path, { operation, scope }) => {
      expect(scopesOfDocument(schema, parse(String(operation)))).toEqual([[[scope]]]);
      expect(KEY_SCOPES).toContain(scope);
    },
  );

  it("has its own scope", () => {
    expect(endpoints.map(({ scope }) => scope)).toEqual(KEY_SCOPES);
  });

  it.each([
    [
      "its query does not fit the schema",
      "{ emissions { tonnes } }",
      'its operation does not fit the schema: Cannot query field "tonnes" on type "Emissions".',
    ],
    [
      "its query needs another scope",
      "{ market { isLiveFeedConnected } }",
      "but its operation needs read:market",
    ],
    [
      "its query needs one more scope",
      "{ emissions { recordCount } ...More } fragment More on Query { credits { retiredCount } }",
      "but its operation needs read:emissions, read:credits",
    ],
    ["its query needs no scope", "{ organization { name } }", "but its operation needs no scope"],
    ["its query cannot be parsed", "{ emissions {", "Syntax Error"],
  ])("cannot be prepared if %s", (_what, operation, message) => {
    const [emissions] = endpoints;
    const bad = { ...emissions, path: "/bad", scope: "read:emissions", operation } as OperationEndpoint;
    expect(() => prepareEndpoint(schema, bad, scopesOfDocument)).toThrow(message);
  });

  it("of the wider API, prepared at its first request, fits the schema", () => {
    const catalogued = createCataloguedEndpoints(
      schema,
      { texts: OPERATIONS, examples: EXAMPLES },
      scopesOfDocument,
    );
    for (const endpoint of catalogued) prepareEndpoint(schema, endpoint, scopesOfDocument);
  });
});

describe("an API key", () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway.stop());

  it.each(KEY_SCOPES)(
    "with only the scope %s gets that scope's root fields, its organization and its budget, and nothing else",
    async (scope) => {
      const slug = await makeOrganization(gateway.database);
      const { key } = await makeKey(gateway.database, slug, { scopes: [scope] });
      // In several operations, because the root fields of one are limited.
      const answers = await Promise.all(
        Array.from({ length: Math.ceil(rootFields.length / 15) }, (_, page) =>
          rootFields.slice(15 * page, 15 * page + 15),
        ).map((fields) =>
          gateway.graphql(
            `{ ${fields.map(({ name }) => `${name}${ROOT_ARGUMENTS[name] ?? ""} { __typename }`).join(" ")} }`,
            key,
          ),
        ),
      );
      const data = Object.assign({}, ...answers.map(({ body }) => body.data));
      const errors = answers.flatMap(({ body }) => body.errors ?? []);
      const isAllowed = (field: (typeof rootFields)[number]) =>
        requiredScopes(schema, field).every((required) => satisfies([scope], required));
      const answered = rootFields.filter(({ name }) => data[name] !== null).map(({ name }) => name);
      // Null without an error: the viewer, the caller, objects with unknown ids, and what needs a policy.
      const isAbsent = (name: string) => BY_ID.includes(name) || NEEDS_POLICY.includes(name);
      const refused = rootFields
        .filter(({ name }) => data[name] === null && !["viewer", "caller"].includes(name))
        .filter((field) => !(isAbsent(field.name) && !FOR_PEOPLE.includes(field.name) && isAllowed(field)))
        .map(({ name }) => name);

      const isOfEmissions = scope === "read:emissions";
      const open = rootFields.filter((field) => isAllowed(field)).map(({ name }) => name);
      expect(answered).toEqual(open.filter((name) => !isAbsent(name) && !FOR_PEOPLE.includes(name)));
      expect(answered).toEqual(expect.arrayContaining([scope.replace("read:", ""), "organization"]));
      expect(errors.map(({ path, extensions }) => [path, extensions.code])).toEqual(
        refused.map((name) => {
          const isForPeople =
            ["members", "conversations", "conversation"].includes(name) ||
            (isOfEmissions && name === "verificationAssignments");
          return [[name], isForPeople ? "UNAUTHENTICATED" : "INVALID_KEY"];
        }),
      );
    },
  );

  it("with every scope changes nothing: each mutation requires a scope that keys cannot have, or a user", async () => {
    const { key } = await makeKey(gateway.database, await makeOrganization(gateway.database));
    for (const [name, operation] of mutationsOf(schema)) {
      const { body } = await gateway.graphql(operation, key);
      expect([name, body.data, body.errors?.map(({ extensions }) => extensions.code)]).toEqual([
        name,
        { [name]: null },
        [expect.stringMatching(/^(INVALID_KEY|UNAUTHENTICATED)$/)],
      ]);
    }
  });
});
