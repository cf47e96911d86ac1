import { useDownload } from "../parts/use-download.js";
import { useSession } from "../session/session.js";
import { downloadChange } from "./use-bulk-run.js";

/** Saves the groups that a bulk change has changed as a file. */
export function DownloadChange({ id }: { readonly id: string }) {
  const { client } = useSession();
  const { isBusy, run } = useDownload("The download", () => downloadChange(client, id));
  return (
    <button type="button" aria-disabled={isBusy} onClick={() => void (isBusy || run())}>
      Download
    </button>
  );
}
