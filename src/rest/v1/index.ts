import { V1_PREFIXES } from "../../http/surface.js";
import type { EndpointGroup } from "../endpoint.js";
import { invitations } from "./invitations.js";
import { members } from "./members.js";
import { sessions } from "./sessions.js";
import { viewer } from "./viewer.js";

/** The wider API. */
export const v1: EndpointGroup = {
  prefixes: V1_PREFIXES,
  keysOnly: false,
  endpoints: [...viewer, ...sessions, ...members, ...invitations],
};
