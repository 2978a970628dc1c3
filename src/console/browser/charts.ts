// Draws the charts of a page from the numbers in their attributes.
import uPlot from 'uplot';

interface Series {
  readonly label: string;
  /** The name of a colour of the design: `accent`, `bad`. */
  readonly colour: string;
  readonly values: readonly (number | null)[];
}

interface Chart {
  /** The time of the first point, in seconds since 1970. */
  readonly from: number;
  /** Seconds between two points. */
  readonly step: number;
  readonly series: readonly Series[];
  readonly unit: string;
}

const drawn = new Map<Element, uPlot>();

const ofDay = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const dates = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** Marks of the time axis in the reader's zone: the date at the beginning of a day, and hours in between. */
function marks(_: uPlot, seconds: readonly number[]): string[] {
  return seconds.map((each) => {
    const at = new Date(each * 1000);
    return at.getHours() === 0 && at.getMinutes() === 0 ? dates.format(at) : ofDay.format(at);
  });
}

const colour = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`);

/** A colour of the design in the form that the canvas understands: the property itself may depend on the colour scheme. */
function resolved(name: string, at: HTMLElement): string {
  const before = at.style.color;
  at.style.color = colour(name);
  const value = getComputedStyle(at).color;
  at.style.color = before;
  return value;
}

function draw(figure: HTMLElement): void {
  const { from, step, series, unit } = JSON.parse(figure.dataset.chart ?? '{}') as Chart;
  const times = (series[0]?.values ?? []).map((_, index) => from + index * step);
  const at = figure.querySelector<HTMLElement>('.plot');
  if (at === null) return;
  drawn.get(figure)?.destroy();
  at.replaceChildren();
  const faint = resolved('faint', figure);
  const line = resolved('line', figure);
  const axis: uPlot.Axis = { stroke: faint, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } };
  const text = (value: number | null | undefined): string => (value == null ? '–' : `${value.toLocaleString()}${unit}`);
  const options: uPlot.Options = {
    width: at.clientWidth,
    height: 200,
    padding: [8, 8, 0, 0],
    cursor: { y: false, points: { size: 6 } },
    scales: { y: { range: (_, __, most) => [0, Math.max(most * 1.05, 1)] } },
    axes: [
      { ...axis, values: marks, space: 64 },
      { ...axis, size: 64, values: (_, all) => all.map((each) => `${each.toLocaleString()}${unit}`) },
    ],
    series: [
      { label: 'Time', value: (_, at) => (at == null ? '–' : full.format(new Date(at * 1000))) },
      ...series.map(
        ({ label, colour: name, values }): uPlot.Series => ({
          label,
          stroke: resolved(name, figure),
          width: 1.5,
          // A value without neighbours has no line; points show it, unless there are too many values.
          points: { show: values.filter((each) => each !== null).length < 80, size: 4 },
          value: (_, value) => text(value),
        }),
      ),
    ],
  };
  const data = [times, ...series.map(({ values }) => values)] as unknown as uPlot.AlignedData;
  drawn.set(figure, new uPlot(options, data, at));
}

function drawAll(): void {
  for (const figure of drawn.keys()) if (!figure.isConnected) drawn.delete(figure);
  for (const figure of document.querySelectorAll<HTMLElement>('figure[data-chart]')) draw(figure);
}

let width = window.innerWidth;
window.addEventListener('resize', () => {
  if (window.innerWidth === width) return;
  width = window.innerWidth;
  drawAll();
});
window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAll);
document.addEventListener('htmx:afterSettle', drawAll);
drawAll();
