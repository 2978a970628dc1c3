import { byRound, type Spread, spread } from './statistics.ts';

/** The target for our figure, relative to the limit's figure of the same round. `within`: at most `more` above it, in the figure's unit. */
export type Target =
  | { readonly kind: 'at-least'; readonly ratio: number }
  | { readonly kind: 'at-most'; readonly ratio: number }
  | { readonly kind: 'within'; readonly more: number };

/** One line of the table: the measurements of all rounds. */
export interface Figure {
  readonly job: string;
  readonly unit: string;
  readonly limit: readonly number[];
  readonly ours: readonly number[];
  readonly target: Target;
}

/** A figure with its statistics and result. */
export interface Judged {
  readonly job: string;
  readonly unit: string;
  readonly limit: Spread;
  readonly ours: Spread;
  /** Our figure divided by the limit's, or minus it for a target `within`. */
  readonly beside: Spread;
  readonly target: Target;
  readonly reached: boolean;
}

/** Compares round by round; the median decides. */
export function judge({ job, unit, limit, ours, target }: Figure): Judged {
  const combine = target.kind === 'within' ? difference : quotient;
  const beside = spread(byRound(limit, ours, combine));
  return {
    job,
    unit,
    limit: spread(limit),
    ours: spread(ours),
    beside,
    target,
    reached: reaches(beside.median, target),
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

/** The cells of a figure's line in the table. */
export function cells({ job, unit, limit, ours, beside, target, reached }: Judged): string[] {
  const show = (value: number): string =>
    target.kind === 'within' ? `${value < 0 ? '' : '+'}${amount(value)}` : value.toFixed(2);
  return [
    job,
    unit,
    amount(limit.median),
    amount(ours.median),
    `${show(beside.median)} (${show(beside.min)} to ${show(beside.max)})`,
    targetText(target, unit),
    reached ? 'yes' : 'no',
  ];
}

export const HEADING: readonly string[] = ['job', 'unit', 'limit', 'ours', 'ratio (spread)', 'target', 'reached'];

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
