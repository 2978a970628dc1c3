import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { summaryOf } from './summary.ts';

const folder = new URL('cases/', import.meta.url);

/** `api.yaml`, other files that each begin with `=== NAME`, a line of dashes, and what is read. */
const cases = readdirSync(folder)
  .filter((name) => name.endsWith('.case'))
  .map((name) => {
    const [input = '', expected = ''] = readFileSync(new URL(name, folder), 'utf8').split(/^-{10,}\n/m);
    const [contract = '', ...others] = input.split(/^=== /m);
    const files = others.map(
      (each) => [each.slice(0, each.indexOf('\n')), each.slice(each.indexOf('\n') + 1)] as const,
    );
    return {
      name: name.slice(0, -'.case'.length),
      files: { 'api.yaml': contract, ...Object.fromEntries(files) },
      expected,
    };
  });

describe('a contract in OpenAPI', () => {
  it.each(cases)('$name', async ({ files, expected }) => {
    expect(`${await summaryOf(files)}\n`).toBe(expected);
  });
});
