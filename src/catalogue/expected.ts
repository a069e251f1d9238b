import { WEB_LINK } from "../domain/texts/web-link.js";
import { EXPECTED_COUNTRY } from "../regions/countries.js";

/** Values that scalars expect, for error messages. The messages of other scalars already name theirs. */
export const EXPECTED = {
  CountryCode: EXPECTED_COUNTRY,
  Currency: "a code of three letters (ISO 4217), such as EUR",
  Date: "a date YYYY-MM-DD",
  DateTime: "a time such as 2026-11-20T10:00:00Z",
  Decimal: "a decimal, such as 1234.500001",
  Float: "a number",
  ID: "text",
  Int: "a whole number",
  Month: "a month, such as 2026-05",
  SafeInt: "a whole number",
  String: "text",
  Boolean: "true or false",
  URL: WEB_LINK,
  UUID: "a UUID",
} as const;
