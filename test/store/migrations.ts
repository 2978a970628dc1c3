import { basename } from 'node:path';
import type { MigrationFile } from '../../src/model/gateway.ts';

/** A migration as the loader reads it: `0001-orders.sql`, or `0001-orders.sqlite.sql`. */
export function migration(name: string, sql: string, transaction = true): MigrationFile {
  const [, stem = '', , engine] = /^((\d+)-[^.]+)(?:\.(sqlite|postgres))?\.sql$/.exec(basename(name)) ?? [];
  return {
    ...{ number: Number.parseInt(stem, 10), name: stem, file: `migrations/${name}`, sql, transaction },
    ...(engine === undefined ? {} : { engine: engine as 'sqlite' | 'postgres' }),
  };
}
