/** Body of a request that adds a factor. */
export const OWN_FACTOR = {
  activity: "Wood chips",
  region: "Home",
  scope: "scope_1",
  factor: "0.015",
  unit: "KWH (net cv)",
  source: "Own measurements",
  source_url: "https://example.org/measured",
  source_year: 2025,
};
