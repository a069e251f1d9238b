import { readFile } from "node:fs/promises";
import {
  buildSchema,
  type GraphQLArgument,
  type GraphQLType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isIntrospectionType,
  isListType,
  isNonNullType,
  isObjectType,
  isSpecifiedDirective,
} from "graphql";
import { describe, expect, it } from "vitest";
import { SCHEMA_FILE } from "../../src/paths.js";

const schema = buildSchema(await readFile(SCHEMA_FILE, "utf8"));
const types = Object.values(schema.getTypeMap()).filter((type) => !isIntrospectionType(type));
const objects = types.filter(isObjectType);
const inputs = types.filter(isInputObjectType);
const enums = types.filter(isEnumType);

interface Typed {
  readonly path: string;
  readonly name: string;
  readonly type: GraphQLType;
  readonly args: readonly GraphQLArgument[];
}

const fields: Typed[] = objects.flatMap((type) =>
  Object.values(type.getFields()).map((field) => ({ ...field, path: `${type.name}.${field.name}` })),
);
/** Arguments of fields and directives, and fields of inputs. */
const taken: Typed[] = [
  ...fields.flatMap(({ path, args }) =>
    args.map((arg) => ({ ...arg, path: `${path}(${arg.name})`, args: [] })),
  ),
  ...inputs.flatMap((type) =>
    Object.values(type.getFields()).map((field) => ({
      ...field,
      path: `${type.name}.${field.name}`,
      args: [],
    })),
  ),
  ...schema
    .getDirectives()
    .filter((directive) => !isSpecifiedDirective(directive))
    .flatMap(({ name, args }) => args.map((arg) => ({ ...arg, path: `@${name}(${arg.name})`, args: [] }))),
];
const CAMEL = /^[a-z][a-z0-9]*([A-Z][a-z0-9]*)*$/;

const namesOf = (list: readonly { name: string }[]) => list.map(({ name }) => name);

describe("the names in schema.graphql", () => {
  it("exist", () => {
    expect([objects.length, inputs.length, enums.length, fields.length, taken.length].every(Boolean)).toBe(
      true,
    );
  });

  it("are in camelCase for fields, arguments and directives", () => {
    const wrong = [...fields, ...taken].filter(({ name }) => !CAMEL.test(name)).map(({ path }) => path);
    const directives = namesOf(schema.getDirectives()).filter((name) => !CAMEL.test(name));
    expect([wrong, directives]).toEqual([[], []]);
  });

  it("are in PascalCase for types, an acronym that is a whole name apart", () => {
    const builtIn = ["String", "Boolean", "Int", "Float", "ID"];
    expect(
      namesOf(types).filter((name) => !builtIn.includes(name) && !/^([A-Z][a-z0-9]+)+$/.test(name)),
    ).toEqual(["UUID", "URL", "JSONObject"]);
  });

  it("are in capitals for enum values, except one that the contract writes differently", () => {
    const values = enums.flatMap((type) => namesOf(type.getValues()).map((name) => `${type.name}.${name}`));
    expect(values.filter((path) => !/\.[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/.test(path))).toEqual(["Framework.SBTi"]);
  });

  it("distinguish inputs from other types", () => {
    const isInputName = (name: string) => /(Input|Filter)$/.test(name);
    expect(namesOf(inputs).filter((name) => !isInputName(name))).toEqual([]);
    expect(namesOf([...objects, ...enums]).filter(isInputName)).toEqual([]);
    const filters = taken.filter(({ type }) => getNamedType(type).name.endsWith("Filter"));
    expect(filters.filter(({ name }) => name !== "filter").map(({ path }) => path)).toEqual([]);
  });

  /** Paths of fields and arguments with one of these types. */
  const pathsOf = (list: readonly Typed[], ...names: string[]) =>
    list.filter(({ type }) => names.includes(getNamedType(type).name));

  it("begin with is, has or can for booleans, except for options and repeated names", () => {
    const others = pathsOf([...fields, ...taken], "Boolean").filter(
      ({ name }) => !/^(is|has|can)[A-Z]/.test(name),
    );
    expect([...new Set(others.map(({ name }) => name))].sort()).toEqual([
      "allowGlobal",
      // Names of an inventory, as REST spells them.
      "blocking",
      "complete",
      "dryRun",
      // A mapping's name, as REST spells it.
      "fixedYear",
      // A part of an activity's selector, as REST and its errors spell it.
      "fossil",
      "includeArchived",
      // Names of a target, as REST spells them.
      "issued",
      "likeForLike",
      "onPath",
      "onlyUnread",
      // Names of an inventory, as REST spells them.
      "operationalControl",
      "renewable",
      "required",
    ]);
  });

  it("end in Percent for percentages, and use scalars for months, currencies and links", () => {
    expect([...fields, ...taken].filter(({ name }) => /Pct|Percentage/.test(name))).toEqual([]);
    const texts = pathsOf([...fields, ...taken], "String").filter(({ name }) =>
      /^(month|currency)$|Months?$|Currency$|Url$/.test(name),
    );
    expect(texts.map(({ path }) => path)).toEqual([]);
  });

  it("are id, or end in Id or Ids, for identifiers; edges are objects", () => {
    const ids = pathsOf([...fields, ...taken], "UUID", "ID");
    expect(ids.filter(({ name }) => !/^id$|Ids?$/.test(name)).map(({ path }) => path)).toEqual([
      "Subscription.events(after)",
    ]);
    // Ids of rows are UUIDs. An ID identifies an object in a client's cache, a factor of the catalogue, or an event.
    expect(
      pathsOf([...fields, ...taken], "ID")
        .filter(({ name }) => name !== "id")
        .map(({ path }) => path),
    ).toEqual(["Subscription.events(after)", "ActivityMappingInput.factorId", "ActivityInput.factorId"]);
  });

  it("use anomaly for anomalies, and finding only for those of verifiers", () => {
    const named = [...types, ...fields, ...taken].map((one) => ("path" in one ? one.path : one.name));
    expect(named.filter((name) => /finding/i.test(name) && !/verification/i.test(name))).toEqual([
      "FindingSeverity",
    ]);
  });

  it("are plural for lists whose items have their own names", () => {
    const lists = fields.filter(({ type }) => isListType(isNonNullType(type) ? type.ofType : type));
    const single = lists.filter(({ name }) => !name.endsWith("s") && !name.startsWith("by"));
    expect(single.map(({ path }) => path)).toEqual([
      "ApiKey.usage",
      "Emissions.trend",
      "FacilityEmissions.trend",
      "CategoryEmissions.trend",
      "CountryEmissions.trend",
      "EmissionFactor.matched",
      "Calculation.precedence",
      "CalculationError.available",
      "CalculationError.nearest",
      "CalculationError.differBy",
      "Instrument.history",
      "ForecastPoint.confidence",
      "ForecastPoint.prediction",
      "CumulativePrediction.prediction",
      "Anomalies.notEvaluated",
      "Inventory.unmapped",
      "ReductionTarget.path",
      "VsmeReport.absent",
    ]);
  });
});

/** Returns true if a list in this type, at any depth, may contain null. */
function mayContainNull(type: GraphQLType): boolean {
  if (isNonNullType(type)) return mayContainNull(type.ofType);
  if (!isListType(type)) return false;
  return !isNonNullType(type.ofType) || mayContainNull(type.ofType);
}

describe("lists in schema.graphql", () => {
  it("contain no null, in answers and in inputs", () => {
    expect([...fields, ...taken].filter(({ type }) => mayContainNull(type)).map(({ path }) => path)).toEqual(
      [],
    );
  });

  it("are never null in answers, except as fields of Query", () => {
    expect(
      fields
        .filter(({ path, type }) => isListType(type) && !path.startsWith("Query."))
        .map(({ path }) => path),
    ).toEqual([]);
  });
});

describe("connections in schema.graphql", () => {
  const connections = objects.filter(({ name }) => name.endsWith("Connection"));
  const typesOf = (name: string) => {
    const type = schema.getType(name);
    if (!isObjectType(type)) throw new Error(`there is no type ${name}`);
    return Object.fromEntries(
      Object.values(type.getFields()).map((field) => [field.name, String(field.type)]),
    );
  };

  it.each(namesOf(connections))("have the same form: %s", (name) => {
    const item = name.replace(/Connection$/, "");
    expect(typesOf(name)).toEqual({
      edges: `[${item}Edge!]!`,
      nodes: `[${item}!]!`,
      pageInfo: "PageInfo!",
      totalCount: "SafeInt!",
    });
    expect(typesOf(`${item}Edge`)).toEqual({ node: `${item}!`, cursor: "String!" });
  });

  it("have no edges without a connection", () => {
    const edges = namesOf(objects).filter((name) => name.endsWith("Edge"));
    expect(edges.sort()).toEqual(
      namesOf(connections)
        .map((name) => name.replace(/Connection$/, "Edge"))
        .sort(),
    );
  });

  it("accept the same four paging arguments everywhere, and are null only as fields of Query", () => {
    const reached = fields.filter(({ type }) => getNamedType(type).name.endsWith("Connection"));
    expect(new Set(reached.map(({ type }) => getNamedType(type).name)).size).toBe(connections.length);
    for (const { path, type, args } of reached) {
      const paging = args.filter(({ name }) => ["first", "after", "last", "before"].includes(name));
      expect([path, isNonNullType(type), paging.map((arg) => `${arg.name}: ${arg.type}`)]).toEqual([
        path,
        !path.startsWith("Query."),
        ["first: Int", "after: String", "last: Int", "before: String"],
      ]);
      expect([path, paging.map(({ defaultValue }) => defaultValue)]).toEqual([
        path,
        Array(4).fill(undefined),
      ]);
    }
  });
});
