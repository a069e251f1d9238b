import { dayOf } from "../../../parts/days.js";
import { Day, Moment } from "../../../parts/moment.js";
import { nameOf } from "../../../parts/names.js";

/** The state of a key or a service account. */
export const Status = ({ of }: { of: string }) => (
  <span class={`key-status ${of.toLowerCase()}`}>{nameOf(of)}</span>
);

/** Scopes as a list of tags. */
export const Scopes = ({ scopes }: { scopes: readonly string[] }) => (
  <ul class="tags">
    {scopes.map((scope) => (
      <li key={scope}>{scope}</li>
    ))}
  </ul>
);

interface CreatedProps {
  readonly at: string;
  readonly by: { readonly name: string } | null;
}

/** When something was created, and by whom. */
export const Created = ({ at, by }: CreatedProps) => (
  <>
    <Moment at={at} />
    {by && (
      <>
        {" "}
        by <bdi>{by.name}</bdi>
      </>
    )}
  </>
);

/** The last day on which a key or a token works. */
export const Until = ({ at }: { at: string | null }) =>
  at === null ? (
    "never expires"
  ) : (
    <>
      {Date.parse(at) > Date.now() ? "until" : "since"} <Day on={dayOf(at)} />
    </>
  );
