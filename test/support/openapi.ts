import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

export type JsonSchema = Record<string, unknown>;

/**
 * Returns a value of an OpenAPI description with its references resolved. Equal references share one object. Throws if
 * a reference has no target.
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
  if (start !== "#" || found === undefined) throw new Error(`${$ref} does not exist`);
  const whole = resolveReferences(found, root, resolved);
  resolved.set($ref, whole);
  return whole;
}

/** Returns a schema that also rejects unnamed properties. Clients must accept them, but the gateway must send none. */
function close(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(close);
  if (typeof schema !== "object" || schema === null) return schema;
  const closed = Object.fromEntries(Object.entries(schema).map(([name, below]) => [name, close(below)]));
  return "properties" in schema && "type" in schema ? { ...closed, additionalProperties: false } : closed;
}

// A different library from the one that writes the descriptions. OpenAPI 3.1 uses JSON Schema 2020-12.
const ajv = new Ajv2020({ strict: true, allErrors: true });
addFormats.default(ajv);
const validators = new Map<string, ReturnType<typeof ajv.compile>>();

/** Returns a value's violations of a schema, unnamed properties included; null if there are none. */
export function judge(schema: JsonSchema, value: unknown): string | null {
  const text = JSON.stringify(schema);
  const validate = validators.get(text) ?? ajv.compile(close(schema) as JsonSchema);
  validators.set(text, validate);
  return validate(value) ? null : ajv.errorsText(validate.errors);
}
