interface FigureProps {
  readonly label: string;
  readonly value: number | undefined;
  /** Link to what is counted. */
  readonly href?: string;
}

/** A number with its label, in a description list. */
export function Figure({ label, value, href }: FigureProps) {
  const text = value === undefined ? "–" : value.toLocaleString();
  return (
    <div>
      <dt>{label}</dt>
      <dd>{href === undefined ? text : <a href={href}>{text}</a>}</dd>
    </div>
  );
}
