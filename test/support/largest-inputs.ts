import {
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
} from "graphql";
import type { ValueSchema } from "../fuzz/json-values.js";

/** An argument, or a field of an input type. */
export interface Member {
  readonly name: string;
  readonly type: GraphQLInputType;
  readonly description?: string | null | undefined;
}

/** Options for filling inputs. */
export interface Filling {
  /** Maximum length of strings, unless their documented limit is lower. */
  readonly longest: number;
  /** Inputs with different seeds differ. */
  readonly seed: number;
  /** True if names and ids refer to existing things, so that the input is accepted. */
  readonly isPlausible: boolean;
  /** True if lists in a body have their documented length, even if nested lists would then exceed the body's limit. */
  readonly isAsStated?: boolean;
  /** True for a tool's schema, in which a date is a day and numbers have limits. */
  readonly isTool?: boolean;
}

const OMITTED = Symbol("omitted");
/** The publication of most factors in the reference data. */
const DEFRA = "UK DESNZ, Greenhouse gas reporting: conversion factors 2026";

/** Values that pass the first checks of an input, by name, or by type and name. */
export const PLAUSIBLE: Readonly<Record<string, unknown>> = {
  cnCode: "76061191",
  country: "IN",
  route: OMITTED,
  good: OMITTED,
  basis: "ACTUAL",
  "CbamPrecursorInput.cnCode": "7601",
  "CbamPrecursorInput.route": "K",
  indirectTco2ePerT: OMITTED,
  activity: "Diesel",
  region: "UK",
  unit: "litre",
  factorId: OMITTED,
  allowGlobal: true,
  "EmissionRecordInput.activity": OMITTED,
  "ActivityInput.gas": OMITTED,
  "FactorSelectorInput.gas": OMITTED,
  "FactorSelectorInput.category": OMITTED,
  "FactorSelectorInput.detail": OMITTED,
  "FactorSelectorInput.sourceFactorId": OMITTED,
  "FactorSelectorInput.scope": OMITTED,
  facility: OMITTED,
  facilityIds: OMITTED,
  facilityCodes: OMITTED,
  after: OMITTED,
  before: OMITTED,
  last: OMITTED,
  cursor: OMITTED,
  expectedVersion: OMITTED,
  year: 2026,
  quarter: "Q3",
  month: "2026-10",
  "DateRangeInput.from": "1927-01-01",
  "DateRangeInput.to": "2026-11-19",
  from: "2021-11",
  to: "2026-10",
  "RequestVerificationInput.period": { from: "2025-11-01", to: "2026-10-31" },
  materialityPercent: "5",
  currency: "EUR",
  email: "somebody@example.org",
  search: "e",
  sourceUrl: "https://example.org/",
  verifierEmail: "vera@example.org",
  "facility.code": "IN-PUNE",
  "facility.id": OMITTED,
  "FactorSetInput.source": DEFRA,
  marketBasedTonnes: OMITTED,
};

const read = (number: string | undefined) => Number(number?.replaceAll(",", "")) || undefined;
/** Returns the largest number or length that a description allows: "1 to 200", "at most 100". */
const mostOf = (description: string) => read(/(?:\d to|at most|up to) ([\d,]+)/.exec(description)?.[1]);
const maxCharacters = (description: string) => read(/([\d,]+) characters/.exec(description)?.[1]);

/** Returns the largest value that a member's description allows; undefined if it should be omitted. */
export function largestOf(member: Member, filling: Filling, owner = ""): unknown {
  const { name, description } = member;
  const sample = PLAUSIBLE[`${owner}.${name}`] ?? PLAUSIBLE[name];
  if (filling.isPlausible && sample === OMITTED) return undefined;
  const type = getNullableType(member.type);
  if (isListType(type)) {
    const item = getNamedType(type);
    const max = mostOf(description ?? "") ?? (isEnumType(item) ? item.getValues().length : 100);
    return Array.from({ length: max }, (_, index) =>
      largestOf({ name, type: type.ofType, description }, { ...filling, seed: filling.seed + index }, owner),
    );
  }
  if (filling.isPlausible && sample !== undefined) return sample;
  if (isEnumType(type)) return type.getValues()[filling.seed % type.getValues().length]?.name;
  if (isInputObjectType(type)) {
    const members = Object.values(type.getFields());
    return Object.fromEntries(members.map((each) => [each.name, largestOf(each, filling, type.name)]));
  }
  return scalarOf(type.name, member, filling);
}

/** All long strings are slices of this one, because thousands of separate strings would exhaust memory. */
const LONG = "e".repeat(200_000);

const ID = "6f1f9a52-6f4e-4c8b-9d57-2b8a9c0e7d16";

function scalarOf(type: string, { name, description }: Member, { longest, seed }: Filling): unknown {
  switch (type) {
    case "Int":
    case "SafeInt":
      // `years` have a range that does not start at 1.
      return name === "years" ? 2026 + (seed % 9) : (mostOf(description ?? "") ?? 100);
    case "Float":
      return 0.5 + (seed % 99);
    case "Boolean":
      return true;
    case "Decimal":
      return `${1 + (seed % 1_000_000)}.123456`;
    case "Date":
      return name === "from" ? "1927-01-01" : "2026-11-19";
    case "DateTime":
      return "2027-11-01T00:00:00Z";
    case "UUID":
      return ID;
    case "Scope":
      return ["read:emissions", "read:credits", "read:market", "read:compliance", "read:benchmarks"][
        seed % 5
      ];
    case "URL":
      return "https://example.org/";
    case "CountryCode":
      return "IN";
    case "JSONObject":
      return Object.fromEntries(Array.from({ length: 999 }, (_, index) => [`k${index}`, "x".repeat(200)]));
    default: {
      const max = maxCharacters(description ?? "") ?? longest;
      const length = Math.min(max, longest);
      return String(seed).slice(0, length) + LONG.slice(0, Math.max(length - String(seed).length, 0));
    }
  }
}

/** Returns true if a body's schema contains a list. */
const hasList = (schema: ValueSchema): boolean => /"type":"array"/.test(JSON.stringify(schema));

/** Returns the maximum if it is below the largest 32-bit integer, else 1. */
const largestNumber = ({ maximum = 1 }: ValueSchema) => (maximum < 2 ** 31 - 1 ? maximum : 1);

/** Returns the largest body that a schema allows. */
export function largestBody(root: ValueSchema, filling: Filling): unknown {
  const fill = (at: ValueSchema, name: string, seed: number, described = at.description): unknown => {
    const camel = name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    // Months have no `format`.
    const sample = filling.isTool && at.format === "date" ? undefined : PLAUSIBLE[camel];
    if (filling.isPlausible && sample === OMITTED) return undefined;
    const target = at.$ref?.split("/").at(-1);
    if (target !== undefined) return fill(root.$defs?.[target] ?? {}, name, seed);
    const variants = at.anyOf ?? at.oneOf;
    if (variants) return fill(variants.find(hasList) ?? variants[0] ?? {}, name, seed, described);
    if (at.enum) return at.enum[seed % at.enum.length];
    if (at.const !== undefined) return at.const;
    if (at.type === "array") {
      const stated = filling.isAsStated ? mostOf(described ?? "") : undefined;
      return Array.from({ length: at.maxItems ?? stated ?? 999 }, (_, index) =>
        fill(at.items ?? {}, name, seed + index),
      );
    }
    if (at.type === "object") {
      return Object.fromEntries(
        Object.entries(at.properties ?? {}).map(([key, below]) => [key, fill(below, key, seed)]),
      );
    }
    if (filling.isPlausible && sample !== undefined) return sample;
    if (at.type === "boolean") return true;
    if (at.type === "integer" || at.type === "number") return filling.isTool ? largestNumber(at) : 1;
    if (at.type === "null") return null;
    const scalar = { uuid: "UUID", date: "Date", "date-time": "DateTime" }[at.format ?? ""] ?? "String";
    const max = Math.min(at.maxLength ?? filling.longest, filling.longest);
    return scalarOf(
      scalar,
      { name, type: undefined as never, description: at.description },
      { ...filling, seed, longest: max },
    );
  };
  return fill(root, "", filling.seed);
}
