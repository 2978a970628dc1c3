import type { Zone } from '../wire/timezone.ts';
import type { ResultColumn } from './plan/plan.ts';
import { compileRenderer, type RendererFactory, type ResultShape } from './render/index.ts';
import type { Command } from './runner.ts';

/** Renderers kept for one statement: each choice of columns that callers make is one. */
const RENDERERS_KEPT = 64;

/** The renderers of one statement's rows, each compiled when it is first asked for. */
export class Renderers {
  readonly #query: string;
  readonly #columns: readonly ResultColumn[];
  readonly #zone: Zone;
  readonly #known = new Map<string, RendererFactory>();

  /** @param columns found in the statement's result */
  constructor(query: string, columns: readonly ResultColumn[], zone: Zone) {
    this.#query = query;
    this.#columns = columns;
    this.#zone = zone;
  }

  /** @param children what stands below each row of a connected query; the same each time */
  of({ format, fields, xml, root }: Command, children: readonly ResultShape[] = []): RendererFactory {
    const key = JSON.stringify([format, fields, xml, root, children.length]);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const columns = fields === undefined ? this.#columns : fields.flatMap((index) => this.#columns[index] ?? []);
    const factory = compileRenderer(format, { name: this.#query, columns, children }, this.#zone, { xml, root });
    if (this.#known.size >= RENDERERS_KEPT) this.#known.clear();
    this.#known.set(key, factory);
    return factory;
  }
}
