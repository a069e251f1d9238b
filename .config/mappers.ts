import { type DocumentNode, Kind } from "graphql";

/** Maps each type X to the XModel that the text of models.ts exports, and each XConnection to a Connection of it. */
export function readMappers(schema: DocumentNode, models: string): Record<string, string> {
  const exported = models.matchAll(/(?:\bas|^export (?:type|interface)) (\w+)Model\b/gm);
  const modelled = new Set(Array.from(exported, ([, type = ""]) => type));
  // Aliases keep ForecastModel, the model, apart from ForecastModel, the type.
  const nameOf = (type: string) => (modelled.has(type) ? `${type}Mapper` : type);
  const mappers: Record<string, string> = {};
  for (const definition of schema.definitions) {
    if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION) continue;
    const type = definition.name.value;
    const node = /^(.+)Connection$/.exec(type)?.[1];
    if (node) mappers[type] = `../graphql/paging/page.js#Connection<${nameOf(node)}>`;
    else if (modelled.has(type))
      mappers[type] = `../graphql/resolvers/models.js#${type}Model as ${type}Mapper`;
  }
  const stray = [...modelled].find((type) => !(type in mappers));
  if (stray) throw new Error(`models.ts exports ${stray}Model, but schema.graphql has no type ${stray}`);
  return mappers;
}
