import { byRound, type Spread, spread } from './statistics.ts';

/** The target for our figure, relative to the limit's figure of the same round. `within`: at most `more` above it, in the figure's unit. */
export type Target =
  | { readonly kind: 'at-least'; readonly ratio: number }
  | { readonly kind: 'at-most'; readonly ratio: number }
  | { readonly kind: 'within'; readonly more: number };

/** Figures of ours and of what it is compared with, by round. */
export interface Pair {
  readonly limit: readonly number[];
  readonly ours: readonly number[];
}

/** One line of the table: the measurements of all rounds. */
export interface Figure extends Pair {
  readonly job: string;
  /** What the job is compared with. */
  readonly beside: string;
  readonly unit: string;
  /** Processor time of the two servers, in microseconds a request. */
  readonly micros?: Pair | undefined;
  /** Without a target, the comparison is shown only. */
  readonly target?: Target | undefined;
}

/** A figure with its statistics and result. */
export interface Judged {
  readonly job: string;
  readonly beside: string;
  readonly unit: string;
  readonly limit: Spread;
  readonly ours: Spread;
  /** Our figure divided by the limit's, or minus it for a target `within`. */
  readonly ratio: Spread;
  readonly micros?: { readonly limit: Spread; readonly ours: Spread } | undefined;
  readonly target?: Target | undefined;
  readonly reached: boolean;
}

/** Compares round by round; the median decides. */
export function judge({ job, beside, unit, limit, ours, micros, target }: Figure): Judged {
  const ratio = spread(byRound(limit, ours, target?.kind === 'within' ? difference : quotient));
  return {
    job,
    beside,
    unit,
    limit: spread(limit),
    ours: spread(ours),
    ratio,
    micros: micros && { limit: spread(micros.limit), ours: spread(micros.ours) },
    target,
    reached: target === undefined || reaches(ratio.median, target),
  };
}

function difference(limit: number, ours: number): number {
  return ours - limit;
}

function quotient(limit: number, ours: number): number {
  return ours / limit;
}

function reaches(value: number, target: Target): boolean {
  if (target.kind === 'at-least') return value >= target.ratio;
  return value <= (target.kind === 'at-most' ? target.ratio : target.more);
}

export const HEADING: readonly string[] = [
  'job',
  'beside',
  'theirs',
  'ours',
  'unit',
  'ratio (spread)',
  'target',
  'reached',
  'µs theirs',
  'µs ours',
];

/** The columns of numbers. */
export const RIGHT: ReadonlySet<number> = new Set([2, 3, 8, 9]);

/** The cells of a figure's line in the table. */
export function cells({ job, beside, unit, limit, ours, ratio, micros, target, reached }: Judged): string[] {
  const show = (value: number): string =>
    target?.kind === 'within' ? `${value < 0 ? '' : '+'}${amount(value)}` : value.toFixed(2);
  return [
    job,
    beside,
    amount(limit.median),
    amount(ours.median),
    unit,
    `${show(ratio.median)} (${show(ratio.min)} to ${show(ratio.max)})`,
    target === undefined ? '' : targetText(target, unit),
    target === undefined ? '' : reached ? 'yes' : 'no',
    ...(micros === undefined ? ['', ''] : [micros.limit.median.toFixed(1), micros.ours.median.toFixed(1)]),
  ];
}

function targetText(target: Target, unit: string): string {
  switch (target.kind) {
    case 'at-least':
      return `>= ${target.ratio.toFixed(2)} x`;
    case 'at-most':
      return `<= ${target.ratio.toFixed(2)} x`;
    case 'within':
      return `<= +${amount(target.more)} ${unit}`;
  }
}

/** At least three digits: `4.27`, `42.7`, `427`, `4,270`. */
function amount(value: number): string {
  const size = Math.abs(value);
  const digits = size >= 100 || Number.isInteger(value) ? 0 : size >= 10 ? 1 : 2;
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
