import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type ReadResourceRequest, ResourceNotFoundError } from "@modelcontextprotocol/server";
import { once } from "../domain/once.js";
import { escapeHidden } from "../domain/texts/clean.js";
import { readPublications } from "../files/reference/reference-factors.js";
import { maskFailures } from "./failure.js";
import type { Serve } from "./surface.js";

export interface ResourcesOptions {
  /** Folder of the project's documentation. */
  readonly docsFolder: string;
  /** The schema; null if it is not published. */
  readonly sdl: string | null;
}

/** Pages of the documentation, by their resources. */
const METHODOLOGIES = {
  calculations: { page: "calculations", title: "How emissions are calculated from activities" },
  cbam: { page: "cbam", title: "How CBAM certificates are estimated" },
  "price-index": { page: "calculations", title: "How price indexes are computed" },
  foresight: { page: "foresight", title: "How anomalies are found and emissions forecast" },
  verification: { page: "verification", title: "How records are verified and locked" },
} as const;

const MARKDOWN = "text/markdown";
const JSON_TYPE = "application/json";

/** A publication of emission factors. */
interface ListedPublication {
  readonly id: string;
  readonly title: string;
  readonly year: number;
  readonly url: string;
  readonly licence: string | null;
  /** Number of its factors. */
  readonly factors: number;
  /** SHA-256 of its lines in the gateway's factor file: `sha256:` and 64 hexadecimal digits. */
  readonly digest: string;
}

/** Returns a function that reads the publications of emission factors, once. */
export const createPublications = (folder: string): (() => Promise<readonly ListedPublication[]>) =>
  once(async () => {
    const publications = await readPublications(folder);
    const lines = (await readFile(join(folder, "emission-factors.csv"), "utf8"))
      .trimEnd()
      .split("\n")
      .slice(1);
    return Object.entries(publications).map(([id, { source, source_url, source_year, licence = null }]) => {
      const own = lines.filter((line) => line.startsWith(`${id},`));
      return {
        id,
        title: source,
        year: source_year,
        url: source_url,
        licence,
        factors: own.length,
        digest: `sha256:${hash("sha256", own.join("\n"))}`,
      };
    });
  });

/** Creates the part that lists and reads resources, which are the same for every caller. */
export function serveResources(
  { docsFolder, sdl }: ResourcesOptions,
  listPublications: ReturnType<typeof createPublications>,
): Serve {
  const resources = [
    ...Object.entries(METHODOLOGIES).map(([name, { page, title }]) => ({
      uri: `carbon://methodology/${name}`,
      name: `methodology-${name}`,
      title,
      mimeType: MARKDOWN,
      read: () => readFile(join(docsFolder, `${page}.md`), "utf8"),
    })),
    {
      uri: "carbon://publications",
      name: "publications",
      title: "Publications of emission factors: title, year, link, licence and digest",
      mimeType: JSON_TYPE,
      read: async () => JSON.stringify(await listPublications()),
    },
    ...(sdl === null
      ? []
      : [
          {
            uri: "carbon://schema",
            name: "schema",
            title: "The GraphQL schema",
            mimeType: "application/graphql",
            read: async () => sdl,
          },
        ]),
  ];
  const publication = async (uri: string) => {
    const [, id] = /^carbon:\/\/publications\/([\w-]{1,100})$/.exec(uri) ?? [];
    const found = (await listPublications()).find((one) => one.id === id);
    return found && { uri, mimeType: JSON_TYPE, text: JSON.stringify(found) };
  };
  return (server, call) => {
    server.setRequestHandler("resources/list", () => ({
      resources: resources.map(({ read: _, ...resource }) => resource),
    }));
    server.setRequestHandler("resources/templates/list", () => ({
      resourceTemplates: [
        {
          uriTemplate: "carbon://publications/{id}",
          name: "publication",
          title: "A publication of emission factors",
          mimeType: JSON_TYPE,
        },
      ],
    }));
    const read = async ({ params: { uri } }: ReadResourceRequest) => {
      const known = resources.find((resource) => resource.uri === uri);
      const content = known
        ? { uri, mimeType: known.mimeType, text: await known.read() }
        : await publication(uri);
      if (!content) throw new ResourceNotFoundError(escapeHidden(uri.slice(0, 200)));
      return { contents: [content] };
    };
    server.setRequestHandler("resources/read", maskFailures(call, read));
  };
}
