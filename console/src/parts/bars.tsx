import { useEffect, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { type Days, formatDay } from "./days.js";

interface BarsProps {
  readonly days: Days;
  readonly label: string;
  /** The token of the color. */
  readonly color: string;
  readonly hasAxes: boolean;
  /** Called with the index of the day that the mouse points at. */
  readonly onPoint: (index: number | null) => void;
}

/** Days between two labels; twice as many in a narrow chart. */
const LABEL_STEP = 7;
const NARROW_PX = 280;
const MIN_BAR_PX = 3;
/** Distances of grid lines: 1, 2, 5, 10 and so on, as there are only whole items. */
const STEPS = Array.from({ length: 10 }, (_, zeros) => [1, 2, 5].map((step) => step * 10 ** zeros)).flat();
const COMPACT = new Intl.NumberFormat(undefined, { notation: "compact" });

/** Draws bars with the size of their container, again when it or the theme changes. */
export function Bars({ days, label, color, hasAxes, onPoint }: BarsProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current: element } = place;
    if (!element) return;
    let chart: uPlot | undefined;
    const draw = () => {
      chart?.destroy();
      chart = drawBars(element, { days, color, hasAxes, onPoint });
    };
    // It also reports the first size.
    const sizes = new ResizeObserver(draw);
    sizes.observe(element);
    const themes = new MutationObserver(draw);
    themes.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    scheme.addEventListener("change", draw);
    return () => {
      sizes.disconnect();
      themes.disconnect();
      scheme.removeEventListener("change", draw);
      chart?.destroy();
    };
  }, [days, color, hasAxes, onPoint]);
  return <div ref={place} role="img" aria-label={label} />;
}

function drawBars(element: HTMLElement, { days, color, hasAxes, onPoint }: Omit<BarsProps, "label">): uPlot {
  const { clientWidth: width, clientHeight: height } = element;
  const highest = Math.max(1, ...days.map(({ count }) => count ?? 0));
  // A bulk import must not hide the other days.
  const lowest = (highest * MIN_BAR_PX) / height;
  const heights = days.map(({ count }) => count && Math.max(count, lowest));
  const step = width < NARROW_PX ? 2 * LABEL_STEP : LABEL_STEP;
  const off = { show: false };
  const text = {
    font: `12px ${getComputedStyle(element).fontFamily}`,
    stroke: colorOf(element, "--ink-soft"),
    ticks: off,
  };
  const { bars } = uPlot.paths;
  const series = {
    fill: colorOf(element, color),
    width: 0,
    points: off,
    ...(bars && { paths: bars({ size: [0.7, 60] }) }),
  };
  const today = heights.length - 1;
  return new uPlot(
    {
      width,
      height,
      legend: off,
      cursor: hasAxes ? { y: false, drag: { x: false }, points: off } : off,
      ...(!hasAxes && { padding: [0, 0, 0, 0] }),
      scales: { x: { time: false, range: [-0.5, days.length - 0.5] }, y: { range: [0, highest * 1.05] } },
      axes: [
        {
          ...text,
          show: hasAxes,
          grid: off,
          splits: [...days.keys()].filter((index) => (days.length - 1 - index) % step === 0),
          size: 24,
          values: (_, splits) => splits.map((index) => formatDay(days[index]?.date)),
        },
        {
          ...text,
          show: hasAxes,
          grid: { stroke: colorOf(element, "--line"), width: 1 },
          incrs: STEPS,
          size: 44,
          values: (_, splits) => splits.map((count) => COMPACT.format(count)),
        },
      ],
      series: [
        {},
        series,
        // Paler, because the day is not over.
        { ...series, alpha: 0.45 },
      ],
      hooks: { setCursor: [({ cursor: { idx } }) => onPoint(idx ?? null)] },
    },
    [
      [...days.keys()],
      heights.with(today, null),
      heights.map((height, index) => (index === today ? height : null)),
    ],
    element,
  );
}

/** Returns the color of a token in the current theme, in a form that a canvas accepts. */
function colorOf(element: HTMLElement, token: string): string {
  element.style.color = `var(${token})`;
  return getComputedStyle(element).color;
}
