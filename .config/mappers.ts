import { type DocumentNode, Kind } from "graphql";

/** Returns each X for which a file exports a type `XModel`. */
function listModelled(text: string): string[] {
  const reexports = text.match(/^export type \{[^}]*\}/gm) ?? [];
  return [
    ...reexports.flatMap((block) => Array.from(block.matchAll(/(?:\bas |[{,]\s*)(\w+)Model\b/g))),
    ...text.matchAll(/^export (?:type|interface) (\w+)Model\b/gm),
  ].map(([, type = ""]) => type);
}

/**
 * Maps each type X to the `XModel` that a resolver file exports, and each XConnection to a `Connection` of X or its
 * model. Throws if two files export the same model, or if the schema has no type for a model.
 */
export function readMappers(
  schema: DocumentNode,
  resolvers: readonly (readonly [file: string, text: string])[],
): Record<string, string> {
  const files = new Map<string, string>();
  for (const [file, text] of resolvers) {
    for (const type of listModelled(text)) {
      const other = files.get(type);
      if (other) throw new Error(`${other} and ${file} both export ${type}Model`);
      files.set(type, file);
    }
  }
  // Aliases distinguish the model of `Forecast` from the type `ForecastModel`.
  const nameOf = (type: string) => (files.has(type) ? `${type}Mapper` : type);
  const mappers: Record<string, string> = {};
  for (const definition of schema.definitions) {
    if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION) continue;
    const type = definition.name.value;
    const node = /^(.+)Connection$/.exec(type)?.[1];
    const file = files.get(type)?.replace(/\.ts$/, ".js");
    if (node) mappers[type] = `../graphql/paging/page.js#Connection<${nameOf(node)}>`;
    else if (file) mappers[type] = `../graphql/resolvers/${file}#${type}Model as ${type}Mapper`;
  }
  const stray = [...files].find(([type]) => !(type in mappers));
  if (stray)
    throw new Error(`${stray[1]} exports ${stray[0]}Model, but schema.graphql has no type ${stray[0]}`);
  return mappers;
}
