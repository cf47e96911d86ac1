import { UpdateEndpointDocument } from "../api/generated/operations.js";
import { useNotice } from "../parts/notices.js";
import { Problem } from "../parts/problem.js";
import { useMutation } from "../session/use-mutation.js";

interface EnableEndpointProps {
  readonly id: string;
  readonly label: "Enable" | "Resume";
  readonly notice: string;
  /** Called when the endpoint may have changed. */
  readonly onDone: () => void;
}

/** Enables an endpoint, which also ends the pause of a failing one. */
export function EnableEndpoint({ id, label, notice, onDone }: EnableEndpointProps) {
  const { run, isBusy, failure, errors } = useMutation(UpdateEndpointDocument);
  const notify = useNotice();

  async function enable() {
    const payload = await run({ input: { id, enabled: true } });
    if (payload?.webhookEndpoint) notify(notice);
    onDone();
  }
  return (
    <>
      <button
        type="button"
        className={label === "Enable" ? "primary" : undefined}
        aria-disabled={isBusy}
        onClick={() => void (isBusy || enable())}
      >
        {label}
      </button>
      <Problem failure={failure} errors={errors} />
    </>
  );
}
