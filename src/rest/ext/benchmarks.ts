import { z } from "zod";
import { graphql } from "../../generated/operations.js";
import { endpoint } from "../endpoint.js";

const NO_BENCHMARK = "No sector benchmark with a cited source";

export const benchmarks = endpoint({
  path: "/benchmarks",
  summary: "Emission intensities of sectors, each with its publication",
  scope: "read:benchmarks",
  operation: graphql(`
    query ExtBenchmarks {
      benchmarks { items { sector intensity unit source sourceUrl sourceYear } }
    }
  `),
  data: z
    .object({
      benchmarks: z.array(
        z
          .object({
            sector: z.string().meta({ description: "Sector that the benchmark is about." }),
            intensity: z
              .number()
              .nullable()
              .meta({ description: "Emissions per unit of production, in `unit`." }),
            unit: z
              .string()
              .nullable()
              .meta({ description: "Unit of the value; null if the publication gives none." }),
            source: z.string().meta({ description: "Title of the publication." }),
            source_url: z.url().meta({ description: "Link to the publication." }),
            source_year: z.int().meta({ description: "Year of the publication." }),
          })
          .meta({ id: "Benchmark" }),
      ),
      message: z
        .literal(NO_BENCHMARK)
        .nullable()
        .meta({ description: "Reason the list is empty; null if it is not." }),
    })
    .meta({ id: "Benchmarks" }),
  example: {
    benchmarks: [
      {
        sector: "Crude steel (world average, all routes)",
        intensity: 1.91,
        unit: "tCO2/t crude steel cast",
        source: "World Steel Association, Sustainability Indicators 2023 report",
        source_url: "https://worldsteel.org/media/press-releases/2023/sustainability-indicators-2023/",
        source_year: 2023,
      },
    ],
    message: null,
  },
  reshape: ({ benchmarks: { items } }) => ({
    benchmarks: items.map(({ sector, intensity, unit, source, sourceUrl, sourceYear }) => ({
      sector,
      intensity: intensity ?? null,
      unit: unit ?? null,
      source,
      source_url: sourceUrl,
      source_year: sourceYear,
    })),
    message: items.length === 0 ? NO_BENCHMARK : null,
  }),
});
