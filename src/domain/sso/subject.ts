/** 1 to 255 characters (OpenID Connect Core 1.0, section 2) without control characters. */
const FORM = /^[^\p{Cc}\p{Cs}]{1,255}$/u;

/** Returns true if `text` is a valid subject, a provider's identifier of a person. */
export const isSubject = (text: unknown): text is string => typeof text === "string" && FORM.test(text);
