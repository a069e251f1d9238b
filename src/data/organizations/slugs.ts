import type { SqlSession } from "../database/types.js";

/** Returns those of several slugs that an organization has. */
export async function findSlugs(sql: SqlSession, slugs: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await sql.query<{ slug: string }>(
    "SELECT slug FROM organizations WHERE slug = ANY ($1::text[])",
    [slugs],
  );
  return new Set(rows.map(({ slug }) => slug));
}

/** Maximum number of slugs to compare with a misspelt one. */
const MAX_COMPARED = 5_000;

/** Lists slugs whose length is nearest to that of `text`. */
export async function listSlugsLike(sql: SqlSession, text: string): Promise<string[]> {
  const rows = await sql.query<{ slug: string }>(
    "SELECT slug FROM organizations ORDER BY abs(length(slug) - length($1)), slug LIMIT $2",
    [text, MAX_COMPARED],
  );
  return rows.map(({ slug }) => slug);
}
