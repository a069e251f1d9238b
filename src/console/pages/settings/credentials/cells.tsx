import { dayOf } from "../../../parts/days.js";
import { Day, Moment } from "../../../parts/moment.js";

/** A list of scopes or event types. */
export const Tags = ({ of }: { of: readonly string[] }) => (
  <ul class="tags">
    {of.map((tag) => (
      <li key={tag}>{tag}</li>
    ))}
  </ul>
);

interface CreatedProps {
  readonly at: string;
  readonly by: { readonly name: string } | null;
}

/** Time and creator of an object. */
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

/** The last valid day of a key or token. */
export const Until = ({ at }: { at: string | null }) =>
  at === null ? (
    "never expires"
  ) : (
    <>
      {Date.parse(at) > Date.now() ? "until" : "since"} <Day on={dayOf(at)} />
    </>
  );
