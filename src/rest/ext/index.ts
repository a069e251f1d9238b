import type { Endpoint } from "../endpoint.js";
import { benchmarks } from "./benchmarks.js";
import { compliance } from "./compliance.js";
import { credits } from "./credits.js";
import { emissions } from "./emissions.js";
import { market } from "./market.js";

/** Every endpoint, in the contract's order. */
export const endpoints: readonly Endpoint[] = [emissions, compliance, credits, benchmarks, market];
