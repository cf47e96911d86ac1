import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { toFailure } from "../../api/failure.js";
import { useSession } from "../../session/session.js";
import type { QueryState } from "../../session/use-query.js";
import { checkSession, type SessionCheck } from "./session-check.js";

/**
 * Checks an embed session and reads its group.
 * @param token empty for none
 * @param version another version reads again
 */
export function useSessionCheck(token: string, version = 0): QueryState<SessionCheck> {
  const { client, viewer, environment } = useSession();
  const { data, failureReason, isFetching, refetch } = useQuery({
    queryKey: ["embed session", token, version],
    queryFn: () => checkSession(token, client, `${viewer.accountName}/${environment}`),
    placeholderData: keepPreviousData,
    enabled: token !== "",
  });
  return {
    data: (token !== "" && data) || null,
    failure: failureReason ? toFailure(failureReason) : null,
    isLoading: isFetching,
    reload: () => void refetch(),
  };
}
