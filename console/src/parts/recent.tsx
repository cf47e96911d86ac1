import { useEffect } from "react";
import { useRoute } from "../routing/navigation.js";
import { hashOf } from "../routing/route.js";
import { useSession } from "../session/session.js";

const MAX_ITEMS = 8;
const STORAGE_KEY = "user-groups:recent";

interface RecentItem {
  readonly href: string;
  readonly label: string;
  readonly detail?: string;
}

/** Adds the object of the page to the recent items of the command palette. */
export function Recent({ label, detail }: Pick<RecentItem, "label" | "detail">) {
  const owner = useOwner();
  const href = hashOf(useRoute().path);
  useEffect(() => {
    const stored = readItems();
    const others = (stored[owner] ?? []).filter((item) => item.href !== href);
    const items = [{ href, label, detail }, ...others].slice(0, MAX_ITEMS);
    localStorage.setItem(STORAGE_KEY, JSON.stringify({ ...stored, [owner]: items }));
  }, [owner, href, label, detail]);
  return null;
}

/** Returns the objects of this account and environment that the browser opened last, newest first, without the current one. */
export function useRecent(): readonly RecentItem[] {
  const href = hashOf(useRoute().path);
  return (readItems()[useOwner()] ?? []).filter((item) => item.href !== href);
}

/** Removes the recent items: the names are customer data. */
export function clearRecent(): void {
  localStorage.removeItem(STORAGE_KEY);
}

function useOwner(): string {
  const { viewer } = useSession();
  return `${viewer.accountName} ${viewer.environment}`;
}

function readItems(): Readonly<Record<string, readonly RecentItem[]>> {
  return JSON.parse(localStorage.getItem(STORAGE_KEY) ?? "{}");
}
