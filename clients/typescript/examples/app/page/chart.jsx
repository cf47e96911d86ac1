const WIDTH = 640;
const BASE = 250;
const HEIGHT = 210;

/** Draws one bar per month. @param {{ sales: Record<string, number>, variables: Readonly<Record<string, unknown>> }} props */
export function Chart({ sales, variables }) {
  const { region = "all regions", currency = "units", color = "#64748b" } = variables;
  const months = Object.entries(sales);
  const highest = Math.max(1, ...months.map(([, value]) => value));
  const width = WIDTH / Math.max(1, months.length);
  const title = `Sales in ${region}, in ${currency}`;
  return (
    <figure>
      <figcaption>{title}</figcaption>
      <svg role="img" aria-label={title} viewBox={`0 0 ${WIDTH} ${BASE + 30}`} fill={String(color)}>
        {months.map(([month, value], index) => {
          const height = (value / highest) * HEIGHT;
          const middle = (index + 0.5) * width;
          return (
            <g key={month}>
              <rect x={index * width + 14} y={BASE - height} width={width - 28} height={height} rx="6" />
              <text x={middle} y={BASE - height - 10}>
                {value}
              </text>
              <text x={middle} y={BASE + 24}>
                {month}
              </text>
            </g>
          );
        })}
        <line x2={WIDTH} y1={BASE} y2={BASE} />
      </svg>
    </figure>
  );
}
