/** Returns true if `text` is a UUID, of any version and in either case (RFC 9562). */
export const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);

/** Writes 32 hexadecimal digits as a UUID. */
export const asUuid = (hex: string): string => hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
