-- An import can be replaced.
GRANT UPDATE ("quarter", "cn_code", "country", "mass_t", "basis", "route", "good", "direct_tco2e_per_t", "indirect_tco2e_per_t",
  "precursors", "reduction_tco2e") ON "cbam_imports" TO gateway_writer;
