import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "csv-parse/sync";

/** A line of `emission-factors.csv`; empty cells are null. */
export interface ReferenceFactor {
  /** A key of `publications.json`. */
  readonly publication: string;
  readonly source_factor_id: string | null;
  readonly scope: "1" | "2" | "3";
  readonly category: string;
  readonly publisher_category: string | null;
  readonly activity: string;
  readonly other_name: string | null;
  readonly detail: string | null;
  readonly region: string;
  readonly gas: string;
  readonly factor: string;
  readonly unit: string;
  /** Id of a factor that had no publisher's identifier when it was first loaded. */
  readonly id: string | null;
}

/** A publication of emission factors. */
export interface Publication {
  readonly source: string;
  readonly source_url: string;
  readonly source_year: number;
  /** Null if the publication states none. */
  readonly licence?: string | null;
}

/** Reads the publications in `folder` (`prisma/reference`), by key. */
export async function readPublications(folder: string): Promise<Readonly<Record<string, Publication>>> {
  return JSON.parse(await readFile(join(folder, "publications.json"), "utf8"));
}

/** Reads the emission factors in `folder` (`prisma/reference`), each with its publication. */
export async function readReferenceFactors(folder: string): Promise<(ReferenceFactor & Publication)[]> {
  const text = await readFile(join(folder, "emission-factors.csv"), "utf8");
  const factors: ReferenceFactor[] = parse(text, { columns: true, cast: (cell) => cell || null });
  const publications = await readPublications(folder);
  return factors.map((factor) => {
    const publication = publications[factor.publication];
    if (!publication) throw new Error(`publications.json has no publication "${factor.publication}".`);
    const { source, source_url, source_year } = publication;
    return { ...factor, source, source_url, source_year };
  });
}
