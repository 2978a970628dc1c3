import { describe, expect, it } from 'vitest';
import { make, readTables } from './mistakes.ts';

describe.each([...readTables()])('a mistake in %s', (_, rows) => {
  it.each(rows)('$name', async (row) => {
    expect(await make(row)).toBe(row.session);
  });
});
