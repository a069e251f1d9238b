import { useRoute } from "preact-iso";
import { useAddress } from "../parts/address.js";
import { AreaLinks } from "../parts/shell/areas.js";
import { Page } from "../parts/shell/shell.js";
import { AllRequests } from "./verification/all-requests.js";
import { Assigned } from "./verification/assigned.js";
import { OneRequest } from "./verification/request/one-request.js";

const AREAS = [
  { path: "", name: "Requests", title: "Verification", List: AllRequests },
  { path: "assigned", name: "Assigned to me", title: "Assigned to me", List: Assigned },
] as const;

/** Requests to have emissions verified: the organization's, and those that the person is asked to verify. */
export function Verification() {
  const { params } = useRoute();
  const { id } = useAddress().query;
  const { path: chosen, title, List } = AREAS.find(({ path }) => path === params["area"]) ?? AREAS[0];
  return (
    <>
      <AreaLinks label="Verification" base="/console/verification" areas={AREAS} chosen={chosen} />
      <Page title={title}>{id === undefined ? <List /> : <OneRequest key={id} id={id} />}</Page>
    </>
  );
}
