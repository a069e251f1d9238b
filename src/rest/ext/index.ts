import { REST_PREFIXES } from "../../http/surface.js";
import type { EndpointGroup, OperationEndpoint } from "../endpoint.js";
import { benchmarks } from "./benchmarks.js";
import { compliance } from "./compliance.js";
import { credits } from "./credits.js";
import { emissions } from "./emissions.js";
import { market } from "./market.js";

/** Every endpoint of the contract, in its order. */
export const endpoints: readonly OperationEndpoint[] = [emissions, compliance, credits, benchmarks, market];

/** The external API. */
export const ext: EndpointGroup = { prefixes: REST_PREFIXES, keysOnly: true, endpoints };
