import type { UnusualAmount } from "../../../../domain/emissions/questions.js";
import type { ImportQuestion } from "../../../../generated/console.js";
import { GatewayFailure } from "../../../gateway/failure.js";
import { useFinalConfirmation } from "../../../parts/forms/confirm.js";
import { Exact } from "../../../parts/numbers.js";

const CODE: ImportQuestion = "RECORD_UNUSUAL";

/** Returns a function that saves a record, and the dialog that it shows if the gateway finds the amount unusual. */
export function useUnusualQuestion() {
  const { shown, ask } = useFinalConfirmation("Is this amount right?", "Save anyway");
  const save = async <Data,>(send: (accept: ImportQuestion[]) => Promise<Data>): Promise<Data> => {
    try {
      return await send([]);
    } catch (failure) {
      const unusual = findUnusual(failure);
      if (unusual === undefined) throw failure;
      await ask(<Question {...unusual} />);
      return send([CODE]);
    }
  };
  return { shown, save };
}

function findUnusual(failure: unknown): UnusualAmount | undefined {
  if (!(failure instanceof GatewayFailure)) return undefined;
  const question = failure.questions.find(({ code }) => code === CODE);
  return (question?.figures as readonly UnusualAmount[] | undefined)?.[0];
}

const Question = ({ tonnes, medianTonnes, ratio }: UnusualAmount) => (
  <p>
    This record has{" "}
    <strong>
      <Exact value={tonnes} unit="tCO₂e" />
    </strong>
    , which is <Exact value={ratio} /> times the usual{" "}
    <strong>
      <Exact value={medianTonnes} unit="tCO₂e" />
    </strong>{" "}
    for its facility and category (the median of the previous 24 months). Check the amount and its unit.
  </p>
);
