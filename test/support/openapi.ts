import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

export type JsonSchema = Record<string, unknown>;

/**
 * Returns a value of an OpenAPI description with each reference replaced by what it refers to, which is one object for all
 * references to it. Throws for one that leads nowhere.
 */
export function resolveReferences(
  value: unknown,
  root: object,
  resolved = new Map<string, unknown>(),
): unknown {
  if (Array.isArray(value)) return value.map((each) => resolveReferences(each, root, resolved));
  if (typeof value !== "object" || value === null) return value;
  const { $ref } = value as { $ref?: string };
  if ($ref === undefined) {
    return Object.fromEntries(
      Object.entries(value).map(([name, below]) => [name, resolveReferences(below, root, resolved)]),
    );
  }
  if (resolved.has($ref)) return resolved.get($ref);
  const [start, ...path] = $ref.split("/");
  const found = path.reduce<unknown>((at, name) => (at as JsonSchema | undefined)?.[name], root);
  if (start !== "#" || found === undefined) throw new Error(`${$ref} is not there`);
  const whole = resolveReferences(found, root, resolved);
  resolved.set($ref, whole);
  return whole;
}

/** A schema that refuses properties which it does not name: clients let them pass, but the gateway has none. */
function close(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(close);
  if (typeof schema !== "object" || schema === null) return schema;
  const closed = Object.fromEntries(Object.entries(schema).map(([name, below]) => [name, close(below)]));
  return "properties" in schema && "type" in schema ? { ...closed, additionalProperties: false } : closed;
}

// Independent of the library that the descriptions are written with; OpenAPI 3.1 means JSON Schema of 2020-12.
const ajv = new Ajv2020({ strict: true, allErrors: true });
addFormats.default(ajv);
const validators = new Map<string, ReturnType<typeof ajv.compile>>();

/** What a schema finds wrong with a value, and the properties of it that it does not name; null for nothing. */
export function judge(schema: JsonSchema, value: unknown): string | null {
  const text = JSON.stringify(schema);
  const validate = validators.get(text) ?? ajv.compile(close(schema) as JsonSchema);
  validators.set(text, validate);
  return validate(value) ? null : ajv.errorsText(validate.errors);
}
