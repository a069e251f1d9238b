import type { Tracing, TracingOptions } from "./tracing.js";

/** Tracing that is switched off. */
const OFF: Tracing = {
  begin: () => undefined,
  wrap: (_name, work) => work,
  watch: (database) => database,
  stop: async () => undefined,
};

/** Starts tracing. Without an endpoint, it does nothing and does not load OpenTelemetry's SDK. */
export async function startTracing({
  endpoint,
  ...options
}: Omit<TracingOptions, "endpoint"> & { readonly endpoint: string | undefined }): Promise<Tracing> {
  if (endpoint === undefined) return OFF;
  const { exportTraces } = await import("./tracing.js");
  return exportTraces({ endpoint, ...options });
}
