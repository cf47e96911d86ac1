/** Placeholder lines while data is loading. Screen readers announce "Loading…". */
export function Skeleton({ lines = 6 }: { readonly lines?: number }) {
  return (
    <div className="skeleton" role="status">
      <span className="unseen">Loading…</span>
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all alike.
        <span key={line} className="skeleton-line" />
      ))}
    </div>
  );
}
