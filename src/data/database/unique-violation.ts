/** Returns true for the error of a row whose key another row has. Its transaction has failed. */
export const isUniqueViolation = (error: unknown): boolean => (error as { code?: unknown }).code === "23505";
