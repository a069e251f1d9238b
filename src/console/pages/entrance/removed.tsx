import type { Addition, LeftAddition } from "../../gateway/session.js";
import { Button } from "../../parts/button.js";
import { AdditionList, LeftList } from "../../parts/sign-in/additions.js";
import { EntrancePage } from "./entrance.js";

interface RemovedProps {
  readonly title: string;
  readonly intro: string;
  readonly removed: readonly Addition[];
  readonly left?: readonly LeftAddition[];
  readonly onLeave: () => Promise<void>;
}

/** The result of a link that removed access to an account. */
export const Removed = ({ title, intro, removed, left = [], onLeave }: RemovedProps) => (
  <EntrancePage title={title} intro={intro}>
    {removed.length > 0 && (
      <>
        <p>Removed from your account:</p>
        <AdditionList additions={removed} />
      </>
    )}
    <LeftList left={left} />
    <Button label="Sign in" look="primary" onClick={onLeave} />
  </EntrancePage>
);
