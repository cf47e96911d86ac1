import { useState } from "react";
import {
  CheckTemplateDocument,
  type CheckTemplateQuery,
  type SessionAlgorithm,
} from "../api/generated/operations.js";
import { useSession } from "../session/session.js";
import { useAction } from "../session/use-action.js";

export type TemplateCheck = CheckTemplateQuery["sessionTemplateCheck"];

interface CheckedClaims {
  readonly algorithm: SessionAlgorithm;
  readonly claims: object;
  readonly variables: object;
  /** The external ID of the group whose claims are shown; empty for none. */
  readonly providedId: string;
}

/** Checks claims that are not saved, on request: each check reads up to 500 groups. */
export function useTemplateCheck() {
  const { client } = useSession();
  const [check, setCheck] = useState<TemplateCheck | null>(null);
  const action = useAction(async ({ providedId, ...claims }: CheckedClaims) => {
    const input = { ...claims, ...(providedId === "" ? {} : { by: { providedId } }) };
    const { sessionTemplateCheck: result } = await client.call(CheckTemplateDocument, { input });
    setCheck(result);
    return result;
  });
  return { ...action, check };
}

/** Says how many groups the claims refuse. */
export function refusalText({ checked, refused }: TemplateCheck): string {
  if (checked === 0) return "This environment has no group yet that could be refused.";
  const which = checked === 1 ? "the only group" : `${checked} checked groups`;
  if (refused === 0) return `No session would be refused: ${which} can be rendered.`;
  return `Sessions of ${refused} of ${which} would be refused.`;
}
