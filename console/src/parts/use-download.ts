import { toFailure } from "../api/failure.js";
import { useAction } from "../session/use-action.js";
import { useNotice } from "./notices.js";

/** Keeps the state of an action that saves a file. A notice says why it failed. @param name how the notice names it, such as "The export" */
export function useDownload(name: string, save: () => Promise<void>) {
  const notify = useNotice();
  return useAction(async () => {
    try {
      await save();
    } catch (error) {
      notify(`${name} failed: ${toFailure(error).message}`);
    }
  });
}
