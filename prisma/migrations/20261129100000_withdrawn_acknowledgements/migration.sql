-- The lists of src/data/database/schema/grants.ts. People withdraw acknowledgements of anomalies.
GRANT DELETE ON anomaly_acknowledgements TO gateway_writer;
