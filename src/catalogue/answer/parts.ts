import { type GraphQLOutputType, isEnumType, isScalarType } from "graphql";
import { z } from "zod";
import { SCOPES } from "../../domain/scopes.js";
import { nextCursor, nextCursorShape } from "../list.js";
import { valuesOf } from "../spelling.js";

/** The REST form of a part of an operation's result. */
export interface OutputForm {
  readonly shape: z.ZodType;
  readonly example: unknown;
  /** Converts a value from the graph's spelling to REST's. */
  readonly reshape: (value: never) => unknown;
}

/** A property of a REST object. */
export interface Member {
  readonly name: string;
  readonly part: OutputForm;
  /** Reads the value from the graph's object. */
  readonly read: (source: Record<string, never>) => never;
  readonly isOptional?: boolean;
}

interface Scalar {
  readonly shape: () => z.ZodType;
  readonly example?: unknown;
  readonly reshape?: (value: never) => unknown;
}

const asText: Scalar = { shape: () => z.string() };

/** Example values and conversions of scalars. A scalar has no example if none would suit every field. */
const SCALARS: Readonly<Record<string, Scalar>> = {
  String: asText,
  ID: asText,
  Scope: { shape: () => z.enum(SCOPES) },
  CountryCode: { ...asText, example: "DE" },
  Currency: { ...asText, example: "EUR" },
  Decimal: { ...asText, example: "12.5" },
  UUID: { shape: () => z.uuid(), example: "5f0a2c1e-7d3b-4a86-9c55-0e1f2d3c4b5a" },
  URL: { shape: () => z.url(), example: "https://example.com/" },
  Month: asText,
  Date: { shape: () => z.iso.date(), example: "2026-11-20" },
  DateTime: {
    shape: () => z.iso.datetime(),
    example: "2026-11-20T10:00:00.000Z",
    reshape: (time: Date) => time.toISOString(),
  },
  Int: { shape: () => z.int(), example: 1 },
  SafeInt: { shape: () => z.int(), example: 1 },
  Float: { shape: () => z.number(), example: 12.5 },
  Boolean: { shape: () => z.boolean(), example: false },
  JSONObject: { shape: () => z.record(z.string(), z.unknown()), example: {} },
};

/** The cursor of the next page. */
export const NEXT_CURSOR: OutputForm = { shape: nextCursorShape, example: null, reshape: nextCursor };

/** Allows null for a part. */
export const orNull = ({ shape, example, reshape }: OutputForm): OutputForm => ({
  shape: shape.nullable(),
  example,
  reshape: (value) => (value === null || value === undefined ? null : reshape(value)),
});

/** Returns the value unchanged. */
export const asItIs = (value: never): unknown => value;

/** Returns the part for an enum or a scalar. Throws if REST cannot represent the type. */
export function leafOf(type: GraphQLOutputType): OutputForm {
  if (isEnumType(type)) {
    const values = new Map(type.getValues().map(({ name, value }) => [name, String(value)]));
    const [first] = valuesOf(type);
    return { shape: z.enum(valuesOf(type)), example: first, reshape: (name) => values.get(name) };
  }
  const scalar = isScalarType(type) ? SCALARS[type.name] : undefined;
  if (!scalar) throw new Error(`the catalogue cannot answer with a ${String(type)}`);
  return { shape: scalar.shape(), example: scalar.example, reshape: scalar.reshape ?? asItIs };
}

/** Returns the shape of a property that is omitted if it is null or an empty list. */
export const optionalOf = (shape: z.ZodType): z.ZodType =>
  (shape instanceof z.ZodNullable ? (shape.unwrap() as z.ZodType) : shape).optional();

const isNothing = (value: unknown): boolean => value === null || (Array.isArray(value) && value.length === 0);

/** Creates the part for an object from its members, in order. */
export function objectWith(members: readonly Member[]): OutputForm {
  const names = members.map(({ name }) => name);
  const reads = members.map(({ read }) => read);
  const reshapes = members.map(({ part }) => part.reshape);
  const optional = members.map(({ isOptional }) => isOptional);
  return {
    shape: z.object(Object.fromEntries(members.map(({ name, part }) => [name, part.shape]))),
    example: Object.fromEntries(members.map(({ name, part }) => [name, part.example])),
    reshape(source: Record<string, never>) {
      const target: Record<string, unknown> = {};
      for (let index = 0; index < names.length; index += 1) {
        const value = reshapes[index]?.(reads[index]?.(source) as never);
        if (!optional[index] || !isNothing(value)) target[names[index] as string] = value;
      }
      return target;
    },
  };
}
