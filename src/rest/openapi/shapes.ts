import { z } from "zod";
import { capitalize } from "../../domain/texts/capitalize.js";
import { errorEnvelope, successEnvelope } from "../../http/answer/envelope.js";
import { takeTurn } from "../../turns.js";
import { type Endpoint, type EndpointGroup, isDownload, isLive, isStream } from "../endpoint.js";
import { schemaPath } from "./failures.js";

/**
 * Returns the base name of an endpoint's shapes: that of its operation in the catalogue, otherwise one derived from its
 * path, such as `Emissions` for GET /emissions.
 */
export function nameOf(endpoint: Endpoint): string {
  if ("name" in endpoint && endpoint.name !== undefined) return capitalize(endpoint.name);
  const { method, path } = endpoint;
  const words = path.split(/[^A-Za-z0-9]+/).map(capitalize);
  return (method === "GET" ? "" : capitalize(method.toLowerCase())) + words.join("");
}

/** Shapes of bodies by their names in components/schemas. */
export type Shapes = z.core.$ZodRegistry<{ id: string }>;

/** Names the shapes of bodies. Two endpoints may share the shape of a request. */
export async function nameShapes(groups: readonly EndpointGroup[]): Promise<Shapes> {
  const shapes: Shapes = z.registry<{ id: string }>();
  shapes.add(errorEnvelope, { id: "ErrorResponse" });
  for (const endpoint of groups.flatMap(({ endpoints }) => endpoints)) {
    // An endpoint of the catalogue derives its shapes on first use.
    await takeTurn();
    const name = nameOf(endpoint);
    const { body } = endpoint.input;
    if (isDownload(endpoint) || isLive(endpoint)) continue;
    if (!isStream(endpoint)) shapes.add(successEnvelope(endpoint.data), { id: `${name}Response` });
    else if (!endpoint.columns) shapes.add(endpoint.data, { id: `${name}Line` });
    if (body && !shapes.has(body)) shapes.add(body, { id: body.meta()?.id ?? `${name}Request` });
  }
  return shapes;
}

/** Key under which zod puts the named shapes inside others. */
const INNER = "__shared";

/**
 * Returns shapes, and the named shapes inside them, as JSON Schema. The schemas of responses allow properties that
 * later versions may add.
 */
export function describeSchemas(shapes: Shapes): Record<string, object> {
  const { schemas } = z.toJSONSchema(shapes, {
    io: "input",
    uri: schemaPath,
    override({ jsonSchema }) {
      // The format implies the pattern. Counts may exceed the 32 bits that generators assume for an integer.
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
      if (jsonSchema.type === "integer") jsonSchema.format = "int64";
    },
  });
  const { [INNER]: inner, ...outer } = schemas;
  const all = Object.entries({ ...outer, ...inner?.$defs }).map(
    ([name, { $schema: _, $id: __, ...schema }]) => [name, schema],
  );
  // Inner shapes move next to the others, because OpenAPI keeps all shapes in one place.
  const text = JSON.stringify(Object.fromEntries(all));
  return JSON.parse(text.replaceAll(`${schemaPath(INNER)}#/$defs/`, schemaPath("")));
}
