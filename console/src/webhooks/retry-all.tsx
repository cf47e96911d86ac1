import { useState } from "react";
import { ReplayFailedDocument } from "../api/generated/operations.js";
import { useNotice } from "../parts/notices.js";
import { plural } from "../parts/plural.js";
import { Problem } from "../parts/problem.js";
import { useMutation } from "../session/use-mutation.js";

/** Maximum deliveries that a call sends again. */
const MAX_REPLAYS = 500;

interface RetryAllProps {
  readonly endpointId: string;
  readonly onChange: () => void;
}

/** Sends all failed deliveries of an endpoint again, in as many calls as that takes, and says how far it came. */
export function RetryAll({ endpointId, onChange }: RetryAllProps) {
  const { run, isBusy, failure, errors } = useMutation(ReplayFailedDocument);
  const notify = useNotice();
  const [count, setCount] = useState(0);

  /** Continues after an error when it is called again: a delivery that was sent again no longer counts as failed. */
  async function retry() {
    let total = 0;
    setCount(total);
    for (;;) {
      const { replayedCount = null } = (await run({ id: endpointId })) ?? {};
      if (replayedCount === null) break;
      total += replayedCount;
      setCount(total);
      // Not until it is 0: what fails again at once would be sent again and again.
      if (replayedCount === MAX_REPLAYS) continue;
      const none = "Nothing waits for a retry. What is due is sent now.";
      notify(total === 0 ? none : `Sent again from now on: ${plural(total, "event")}.`);
      break;
    }
    onChange();
  }
  const isIncomplete = isBusy || failure !== null || errors.length > 0;
  return (
    <>
      <button type="button" aria-disabled={isBusy} onClick={() => void (isBusy || retry())}>
        Retry all
      </button>
      <span role="status">{count > 0 && isIncomplete && `${plural(count, "event")} so far`}</span>
      <Problem failure={failure} errors={errors} />
    </>
  );
}
