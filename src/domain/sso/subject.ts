/** 1 to 255 characters (OpenID Connect Core 1.0, section 2), of which none is a control character. */
const FORM = /^[^\p{Cc}\p{Cs}]{1,255}$/u;

/** Returns true for a text by which a provider can identify a person. */
export const isSubject = (text: unknown): text is string => typeof text === "string" && FORM.test(text);
