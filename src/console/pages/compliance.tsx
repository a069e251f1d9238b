import { useMemo, useState } from "preact/hooks";
import { useQuery } from "../gateway/use-query.js";
import { useAddress } from "../parts/address.js";
import { useDialog } from "../parts/forms/use-dialog.js";
import { Page } from "../parts/shell/shell.js";
import { Shown } from "../parts/states.js";
import { Ccts } from "./compliance/ccts.js";
import { ComplianceDialog, type Open } from "./compliance/dialogs.js";
import { Frameworks } from "./compliance/frameworks.js";
import { ComplianceInsights } from "./compliance/insights.js";
import { READ_COMPLIANCE } from "./compliance/read-compliance.js";
import { DeadlineYear } from "./compliance/year.js";

/** The frameworks with their status, the deadlines of a year, and the positions in CCTS. */
export function Compliance() {
  const { query } = useAddress();
  const { after = null } = query;
  const year = readYear(query["year"]);
  const variables = useMemo(
    () => ({ year: { from: `${year}-01-01`, to: `${year}-12-31` }, after }),
    [year, after],
  );
  const answer = useQuery(READ_COMPLIANCE, variables);
  const { open, setOpen, close } = useDialog<Open>(answer.reload);
  const [said, say] = useState("");
  const show = (dialog: Open) => {
    say("");
    setOpen(dialog);
  };
  return (
    <Page title="Compliance">
      <p role="status">{said}</p>
      <ComplianceInsights />
      <Shown answer={answer} as="emissions">
        {({ compliance }) =>
          compliance && (
            <>
              <Frameworks states={compliance.frameworks} onOpen={show} />
              <DeadlineYear deadlines={compliance.deadlines} year={year} onOpen={show} />
              <Ccts periods={compliance.cctsPeriods} onOpen={show} />
            </>
          )
        }
      </Shown>
      {open && <ComplianceDialog open={open} onClose={close} onSay={say} />}
    </Page>
  );
}

/** The year in the address; this year by default. */
const readYear = (text: string | undefined): number =>
  text && /^[12]\d{3}$/.test(text) ? Number(text) : new Date().getFullYear();
