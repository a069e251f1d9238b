// prisma/ → tables and rights; schema.graphql → enums, resolver types and the list of resolvers; operations of
// src/rest, src/console and the tools → types of their variables and results; src/operations → the catalogue;
// endpoints → docs/api.md.
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { codegen } from "@graphql-codegen/core";
import * as typescript from "@graphql-codegen/typescript";
import * as operations from "@graphql-codegen/typescript-operations";
import * as resolvers from "@graphql-codegen/typescript-resolvers";
import { gqlPluckFromCodeString } from "@graphql-tools/graphql-tag-pluck";
import { concatAST, type DefinitionNode, type DocumentNode, Kind, parse, separateOperations } from "graphql";
import { readMappers } from "./.config/mappers.js";
import { createResolverList, readEnums } from "./.config/resolvers.js";
import { createTables } from "./.config/tables.js";
import { readOperations } from "./src/catalogue/read.js";
import { capitalize } from "./src/domain/texts/capitalize.js";

const OUTPUT = "src/generated";

const config = {
  useTypeImports: true,
  enumsAsTypes: true,
  strictScalars: true,
  skipTypename: true,
  immutableTypes: true,
  scalars: {
    Scope: "string",
    ServiceAccountScope: "string",
    Date: "string",
    Month: "string",
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

/** Reads the files in a folder whose paths match `name`, with paths relative to it. */
async function readFiles(folder: string, name: RegExp): Promise<[file: string, text: string][]> {
  const files = (await readdir(folder, { recursive: true })).filter((file) => name.test(file)).sort();
  return Promise.all(files.map(async (file) => [file, await readFile(`${folder}/${file}`, "utf8")]));
}

/** Reads the operations and fragments that the files of a folder pass to `graphql(…)`, each as a document. */
async function pluckDocuments(folder: string): Promise<DocumentNode[]> {
  const documents: DocumentNode[] = [];
  for (const [file, text] of await readFiles(folder, /\.tsx?$/)) {
    const path = `${folder}/${file}`;
    const options = { globalGqlIdentifierName: "graphql", skipIndent: true };
    for (const source of await gqlPluckFromCodeString(path, text, options)) {
      const document = parse(source);
      const [definition, ...others] = document.definitions;
      if (others.length > 0 || !definition || !("name" in definition) || !definition.name) {
        throw new Error(
          `${path}: expected graphql(…) to have exactly one operation or fragment, with a name`,
        );
      }
      documents.push(document);
    }
  }
  return documents;
}

await mkdir(OUTPUT, { recursive: true });
await writeFile(`${OUTPUT}/tables.ts`, await createTables("prisma"));

const enums = readEnums(schema);
const resolverFiles = await readFiles("src/graphql/resolvers", /\.ts$/);
const resolverTypes = await codegen({
  filename: `${OUTPUT}/resolvers.ts`,
  schema,
  documents: [],
  config: {
    ...config,
    contextType: "../access/context.js#Context",
    // GraphQL adds defaults before a resolver runs.
    avoidOptionals: { field: false, inputValue: false, object: false, defaultValue: true },
    mappers: readMappers(schema, resolverFiles),
  },
  plugins: [{ typescript: { enumValues: enums } }, { resolvers: {} }],
  pluginMap: { typescript, resolvers },
});
await writeFile(`${OUTPUT}/resolvers.ts`, resolverTypes);
await writeFile(`${OUTPUT}/resolver-list.ts`, createResolverList(enums, resolverFiles));

const overload = (source: string, type: string) =>
  `export function graphql(source: ${JSON.stringify(source)}): ${type};`;
const textOf = (definition: DefinitionNode) => definition.loc?.source.body ?? "";

/** Writes the types of a folder's operations, and a function that adds them to documents. Returns documents by name. */
async function writeOperations(folder: string, filename: string, scalars: object = config.scalars) {
  const documents = await pluckDocuments(folder);
  const types = await codegen({
    filename,
    schema,
    documents: documents.map((document) => ({ document, location: document.loc?.source.name ?? "" })),
    config: { ...config, scalars },
    plugins: [{ operations: {} }],
    pluginMap: { operations },
  });
  const all = concatAST(documents);
  const overloads = all.definitions.flatMap((one) =>
    one.kind === Kind.FRAGMENT_DEFINITION ? overload(textOf(one), "void") : [],
  );
  const fragments: [source: string, fragments: string][] = [];
  const texts: Record<string, string> = {};
  for (const { definitions } of Object.values(separateOperations(all))) {
    const operation = definitions.find((one) => one.kind === Kind.OPERATION_DEFINITION);
    if (!operation?.name) continue;
    const source = textOf(operation);
    const spread = definitions.flatMap((one) => (one === operation ? [] : textOf(one))).join("");
    const name = operation.name.value + capitalize(operation.operation);
    overloads.push(overload(source, `TypedOperation<${name}, ${name}Variables>`));
    if (spread) fragments.push([source, spread]);
    texts[name] = source + spread;
  }
  const code = `${types}
/** Document of an operation with variables of type \`Variables\` and a result of type \`Data\`. */
export interface TypedOperation<Data, Variables> {
  readonly source: string;
  readonly types?: [data: Data, variables: Variables];
}
/** Fragments by the operation that spreads them. */
const FRAGMENTS = new Map<string, string>(${JSON.stringify(fragments)});
${overloads.join("\n")}
export function graphql(source: string): TypedOperation<never, never> & void {
  return { source: source + (FRAGMENTS.get(source) ?? "") } as TypedOperation<never, never> & void;
}
`;
  await writeFile(filename, code);
  return texts;
}

await writeOperations("src/rest", `${OUTPUT}/operations.ts`);

/** Writes types of the variables and results of the tools' operations. */
async function writeToolTypes(): Promise<void> {
  const texts = Object.fromEntries(await readFiles("src/operations", /\.graphql$/));
  const tools = readOperations(texts).filter(({ tool }) => tool);
  const definitions = new Set(tools.flatMap(({ document }) => document.definitions));
  const types = await codegen({
    filename: `${OUTPUT}/tools.ts`,
    schema,
    documents: [{ document: { kind: Kind.DOCUMENT, definitions: [...definitions] } }],
    config,
    plugins: [{ operations: {} }],
    pluginMap: { operations },
  });
  const rows = tools.map(({ name }) => {
    const type = `${capitalize(name)}Query`;
    return `  readonly ${name}: { readonly data: ${type}; readonly variables: ${type}Variables };`;
  });
  const code = `${types}
/** Results and variables of the tools' operations, by name. */
export interface ToolOperations {
${rows.join("\n")}
}
`;
  await writeFile(`${OUTPUT}/tools.ts`, code);
}

await writeToolTypes();
// A browser gets times as strings.
const scalarsOfConsole = { ...config.scalars, DateTime: "string" };
const texts = await writeOperations("src/console", `${OUTPUT}/console.ts`, scalarsOfConsole);
const documents = `/** Documents of the console's operations, by name. */
export const CONSOLE_DOCUMENTS: Readonly<Record<string, string>> = ${JSON.stringify(texts)};
`;
await writeFile(`${OUTPUT}/console-documents.ts`, documents);

// Embeds the documents of the catalogue, so a build does not need their files.
const catalogue = `/** Documents of the catalogue, by path. */
export const OPERATIONS: Readonly<Record<string, string>> = ${JSON.stringify(Object.fromEntries(await readFiles("src/operations", /\.graphql$/)))};
/** Example values of properties, by type and field. */
export const EXAMPLES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = ${await readFile("src/operations/examples.json", "utf8")};
`;
await writeFile(`${OUTPUT}/catalogue.ts`, catalogue);

// Imported late, because the endpoints need the files generated above.
const { createApiPage } = await import("./.config/api-page.js");
await mkdir("docs", { recursive: true });
await writeFile("docs/api.md", await createApiPage());
