import type { ComponentType } from "preact";
import { useAddress } from "../parts/address.js";
import { type Area, Areas } from "../parts/shell/areas.js";
import { AllRequests } from "./verification/all-requests.js";
import { Assigned } from "./verification/assigned.js";
import { OneRequest } from "./verification/request/one-request.js";

/** Creates a page that shows the request in the address, otherwise a list of requests. */
const oneOr = (List: ComponentType) => () => {
  const { id } = useAddress().query;
  return id === undefined ? <List /> : <OneRequest key={id} id={id} />;
};

const AREAS: readonly Area[] = [
  { path: "", name: "Requests", title: "Verification", Area: oneOr(AllRequests) },
  { path: "assigned", name: "Assigned to me", Area: oneOr(Assigned) },
];

/** Verification requests: the organization's own, and those that the user verifies. */
export const Verification = () => <Areas label="Verification" areas={AREAS} />;
