/**
 * How long calls took, in buckets of which each is a tenth wider than the one before, from 0.01 ms to an hour. The counts of the
 * same buckets can be added, so that percentiles of any period, of several gateways and of several operations are known, with a
 * relative error of at most 5 %: the square root of 1.1.
 */
export type Histogram = Uint32Array;

/** The upper bound of the first bucket, in milliseconds. */
const SHORTEST = 0.01;
const GROWTH = 1.1;
/** Buckets up to an hour; the last one has all that took longer. */
export const BUCKETS = 2 + Math.ceil(Math.log(3_600_000 / SHORTEST) / Math.log(GROWTH));

const PER_LOG = 1 / Math.log(GROWTH);
const OFFSET = 1 - Math.log(SHORTEST) * PER_LOG;

/** The bucket of a duration. Costs one logarithm. */
export function bucketOf(ms: number): number {
  if (!(ms > SHORTEST)) return 0;
  return Math.min(BUCKETS - 1, Math.floor(Math.log(ms) * PER_LOG + OFFSET));
}

/** The duration that stands for a bucket: the one whose relative distance to both bounds is the same. */
function durationOf(bucket: number): number {
  return bucket === 0 ? SHORTEST : SHORTEST * GROWTH ** (bucket - 0.5);
}

/** Adds the counts of one histogram to another. */
export function addHistogram(to: Histogram, from: Histogram): void {
  for (let bucket = 0; bucket < BUCKETS; bucket += 1) to[bucket] = (to[bucket] as number) + (from[bucket] as number);
}

/**
 * `2f 2g:3`: the buckets that have a count, and the count unless it is 1, in base 36. Texts that are joined with a blank are the
 * text of their sum, so that databases can add them.
 */
export function histogramText(histogram: Histogram): string {
  let text = '';
  for (let bucket = 0; bucket < BUCKETS; bucket += 1) {
    const count = histogram[bucket] as number;
    if (count === 0) continue;
    const name = (text === '' ? '' : ' ') + bucket.toString(36);
    text += count === 1 ? name : `${name}:${count.toString(36)}`;
  }
  return text;
}

/** Adds what a text of {@link histogramText} counts. What is not such a text counts nothing, or something else. */
export function addText(to: Histogram, text: string): void {
  let [bucket, count, inCount] = [0, 0, false];
  for (let at = 0; at <= text.length; at += 1) {
    const code = at === text.length ? BLANK : text.charCodeAt(at);
    if (code === BLANK) {
      if (bucket < BUCKETS && at > 0) to[bucket] = (to[bucket] as number) + (inCount ? count : 1);
      [bucket, count, inCount] = [0, 0, false];
    } else if (code === COLON) inCount = true;
    else {
      const digit = code < LETTER ? code - ZERO : code - LETTER + 10;
      if (inCount) count = count * 36 + digit;
      else bucket = bucket * 36 + digit;
    }
  }
}

const [BLANK, COLON, ZERO, LETTER] = [0x20, 0x3a, 0x30, 0x61];

/**
 * The duration within which a share of the calls ended, in milliseconds; `undefined` without calls.
 * @param share from 0 to 1: 0.95
 */
export function percentile(histogram: Histogram, share: number): number | undefined {
  let calls = 0;
  for (const count of histogram) calls += count;
  if (calls === 0) return undefined;
  let rest = Math.max(1, Math.ceil(calls * share));
  let bucket = 0;
  while (rest > (histogram[bucket] as number)) {
    rest -= histogram[bucket] as number;
    bucket += 1;
  }
  return durationOf(bucket);
}
