import { V1_PREFIXES } from "../../http/surface.js";
import type { EndpointGroup } from "../endpoint.js";

/** The wider API. */
export const v1: EndpointGroup = { prefixes: V1_PREFIXES, keysOnly: false, endpoints: [] };
