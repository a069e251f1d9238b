/** Hours after which an idempotency key can be reused. */
export const KEY_HOURS = 24;

/** Maximum size of a stored response, compressed, in bytes. */
export const MAX_KEPT_BYTES = 262_144;

/** 1 to 255 printable ASCII characters, plain or as a string of RFC 9651 without escapes. */
const KEY = /^(?:"([ !#-[\]-~]{1,255})"|([!#-~][ -~]{0,254}))$/;

/** Returns the key in an `Idempotency-Key` header without its quotes; undefined if it is malformed. */
export function readIdempotencyKey(header: string): string | undefined {
  const [, quoted, plain] = KEY.exec(header) ?? [];
  return quoted ?? plain;
}
