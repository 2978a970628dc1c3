import type { RawCell } from '../../store/index.ts';
import type { Zone } from '../../wire/timezone.ts';
import type { MovedTable } from './rows.ts';
import { canonical } from './values.ts';

/**
 * The number of rows, and sums of hashes of them and of the values of each column: whatever the order of the rows is, the same
 * rows have the same sums. The hashes are for comparison, not against forgery.
 */
export class Sums {
  rows = 0;
  readonly #table: MovedTable;
  readonly #zone: Zone;
  /** Of whole rows, then of each column; two words each. */
  readonly #words: Uint32Array;

  constructor(table: MovedTable, zone: Zone) {
    this.#table = table;
    this.#zone = zone;
    this.#words = new Uint32Array(2 * (table.columns.length + 1));
  }

  add(rows: readonly (readonly RawCell[])[]): void {
    for (const row of rows) {
      this.rows += 1;
      const whole: Hash = [0x9e3779b9, 0x85ebca6b];
      for (const [at, { family }] of this.#table.columns.entries()) {
        const hash = hashOf(canonical(row[at] ?? null, family, this.#zone));
        this.#count(at + 1, hash);
        mix(whole, hash[0]);
        mix(whole, hash[1]);
      }
      this.#count(0, whole);
    }
  }

  /** The columns whose values differ from those of others; of equal values in other rows, all. */
  differences(other: Sums): readonly string[] {
    const differs = (at: number): boolean =>
      this.#words[2 * at] !== other.#words[2 * at] || this.#words[2 * at + 1] !== other.#words[2 * at + 1];
    if (!differs(0)) return [];
    const { columns } = this.#table;
    const found = columns.filter((_, at) => differs(at + 1));
    return (found.length === 0 ? columns : found).map(({ names }) => names.postgres);
  }

  #count(at: number, [low, high]: Hash): void {
    const words = this.#words;
    words[2 * at] = ((words[2 * at] ?? 0) + low) >>> 0;
    words[2 * at + 1] = ((words[2 * at + 1] ?? 0) + high) >>> 0;
  }
}

type Hash = [low: number, high: number];

/** Of a text; NULL differs from every text. */
function hashOf(text: string | null): Hash {
  const hash: Hash = text === null ? [1, 1] : [0xdeadbeef, 0x41c6ce57];
  if (text !== null) for (let at = 0; at < text.length; at++) mix(hash, text.charCodeAt(at));
  // Short texts would differ in their low bits only.
  mix(hash, hash[0] >>> 16);
  mix(hash, hash[1] >>> 15);
  return hash;
}

function mix(hash: Hash, value: number): void {
  hash[0] = Math.imul(hash[0] ^ value, 2654435761) >>> 0;
  hash[1] = Math.imul(hash[1] ^ value, 1597334677) >>> 0;
  hash[0] = (hash[0] ^ (hash[0] >>> 15)) >>> 0;
}
