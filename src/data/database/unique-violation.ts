/** Returns true for a violation of a unique constraint, after which the transaction can only roll back. */
export const isUniqueViolation = (error: unknown): boolean => (error as { code?: unknown }).code === "23505";
