// schema.graphql → resolver types; the operations of src/rest, src/actions/chat and src/console → types of their variables and results.
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { codegen } from "@graphql-codegen/core";
import * as typescript from "@graphql-codegen/typescript";
import * as operations from "@graphql-codegen/typescript-operations";
import * as resolvers from "@graphql-codegen/typescript-resolvers";
import { gqlPluckFromCodeString } from "@graphql-tools/graphql-tag-pluck";
import { type DocumentNode, Kind, parse, visit } from "graphql";
import { enums } from "./src/graphql/resolvers/enums.js";

const OUTPUT = "src/generated";

const config = {
  useTypeImports: true,
  enumsAsTypes: true,
  strictScalars: true,
  skipTypename: true,
  immutableTypes: true,
  scalars: {
    Scope: "string",
    Date: "string",
    DateTime: { input: "Date", output: "Date" },
    UUID: "string",
    URL: "string",
    Currency: "string",
    SafeInt: "number",
    Decimal: "string",
    CountryCode: "string",
    JSONObject: "Record<string, unknown>",
  },
};

const schema: DocumentNode = parse(await readFile("schema.graphql", "utf8"));

interface Plucked {
  /** Such as `ExtMarketQuery`: its types have names that begin with this. */
  name: string;
  text: string;
  document: DocumentNode;
  isFragment: boolean;
}

const SUFFIXES = { query: "Query", mutation: "Mutation", subscription: "Subscription" };

/** The operations and fragments that the files of a folder pass to `graphql(…)`. */
async function pluckDocuments(folder: string): Promise<Plucked[]> {
  const files = (await readdir(folder, { recursive: true })).filter((file) => /\.tsx?$/.test(file));
  const plucked: Plucked[] = [];
  for (const file of files.sort()) {
    const code = await readFile(`${folder}/${file}`, "utf8");
    const sources = await gqlPluckFromCodeString(file, code, {
      globalGqlIdentifierName: "graphql",
      skipIndent: true,
    });
    for (const { body } of sources) {
      const document = parse(body);
      const [definition, ...others] = document.definitions;
      if (others.length === 0 && definition?.kind === Kind.FRAGMENT_DEFINITION) {
        plucked.push({ name: definition.name.value, text: body, document, isFragment: true });
      } else if (
        others.length === 0 &&
        definition?.kind === Kind.OPERATION_DEFINITION &&
        definition.name !== undefined
      ) {
        const name = `${definition.name.value}${SUFFIXES[definition.operation]}`;
        plucked.push({ name, text: body, document, isFragment: false });
      } else {
        throw new Error(`${folder}/${file}: graphql(…) needs exactly one operation or fragment, with a name`);
      }
    }
  }
  return plucked;
}

/** The texts of the fragments that a document spreads, each once, with those that they spread themselves. */
function listFragments(
  document: DocumentNode,
  all: readonly Plucked[],
  found = new Set<Plucked>(),
): Set<Plucked> {
  visit(document, {
    FragmentSpread({ name }) {
      const fragment = all.find((one) => one.isFragment && one.name === name.value);
      if (!fragment) throw new Error(`there is no fragment ${name.value}`);
      if (found.has(fragment)) return;
      found.add(fragment);
      listFragments(fragment.document, all, found);
    },
  });
  return found;
}

/** Maps each type X to the XModel that the text of models.ts exports, and each XConnection to a Connection of it. */
function readMappers(models: string): Record<string, string> {
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

await mkdir(OUTPUT, { recursive: true });

const resolverTypes = await codegen({
  filename: `${OUTPUT}/resolvers.ts`,
  schema,
  documents: [],
  config: {
    ...config,
    contextType: "../access/context.js#Context",
    mappers: readMappers(await readFile("src/graphql/resolvers/models.ts", "utf8")),
  },
  plugins: [{ typescript: { enumValues: enums } }, { resolvers: {} }],
  pluginMap: { typescript, resolvers },
});
await writeFile(`${OUTPUT}/resolvers.ts`, resolverTypes);

interface Operation {
  /** Such as `ExtMarketQuery`. */
  name: string;
  /** With the fragments that it spreads. */
  text: string;
}

/** Writes the types of a folder's operations, and the function that gives a text its types; returns the operations. */
async function writeOperations(
  folder: string,
  filename: string,
  scalars: typeof config.scalars | Record<string, string>,
): Promise<Operation[]> {
  const plucked = await pluckDocuments(folder);
  const types = await codegen({
    filename,
    schema,
    documents: plucked.map(({ name, document }) => ({ location: name, document })),
    config: { ...config, scalars },
    plugins: [{ operations: {} }],
    pluginMap: { operations },
  });
  const overloads = plucked.map(({ name, text, isFragment }) => {
    const type = isFragment ? "void" : `TypedOperation<${name}, ${name}Variables>`;
    return `export function graphql(source: ${JSON.stringify(text)}): ${type};`;
  });
  const written = plucked
    .filter(({ isFragment }) => !isFragment)
    .map(({ name, text, document }) => {
      const fragments = [...listFragments(document, plucked)].map((fragment) => fragment.text).join("");
      return { name, text: text + fragments, source: text, fragments };
    });
  const spread = written.filter(({ fragments }) => fragments !== "");
  await writeFile(
    filename,
    `${types}
/** The text of an operation with variables of type \`Variables\` and a result of type \`Data\`. */
export interface TypedOperation<Data, Variables> {
  readonly source: string;
  readonly types?: [data: Data, variables: Variables];
}
/** The fragments of the operations that spread some. */
const FRAGMENTS = new Map<string, string>(${JSON.stringify(spread.map(({ source, fragments }) => [source, fragments]))});
${overloads.join("\n")}
export function graphql(source: string): TypedOperation<never, never> & void {
  return { source: source + (FRAGMENTS.get(source) ?? "") } as TypedOperation<never, never> & void;
}
`,
  );
  return written;
}

await writeOperations("src/rest", `${OUTPUT}/operations.ts`, config.scalars);
await writeOperations("src/actions/chat", `${OUTPUT}/chat.ts`, config.scalars);
// A browser gets times as text.
const ofConsole = await writeOperations("src/console", `${OUTPUT}/console.ts`, {
  ...config.scalars,
  DateTime: "string",
});
await writeFile(
  `${OUTPUT}/console-documents.ts`,
  `/** The texts of the console's operations by their names. */
export const CONSOLE_DOCUMENTS: Readonly<Record<string, string>> = ${JSON.stringify(
    Object.fromEntries(ofConsole.map(({ name, text }) => [name, text])),
  )};
`,
);

const catalogued = (await readdir("src/operations", { recursive: true }))
  .filter((file) => file.endsWith(".graphql"))
  .map((file) => file.replaceAll("\\", "/"));
const texts: Record<string, string> = {};
for (const file of catalogued.sort()) texts[file] = await readFile(`src/operations/${file}`, "utf8");
await writeFile(
  `${OUTPUT}/catalogue.ts`,
  `/** The documents of the catalogue by the paths of their files. */
export const OPERATIONS: Readonly<Record<string, string>> = ${JSON.stringify(texts)};
/** Values of properties by type and field, for examples. */
export const EXAMPLES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = ${await readFile("src/operations/examples.json", "utf8")};
`,
);
