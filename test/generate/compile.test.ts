import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { LOCATIONS_GET_Context } from './fixtures/generated/handlers.ts';

const fixtures = fileURLToPath(new URL('fixtures/', import.meta.url));
const tsc = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));

describe('generated code under the compiler', () => {
  // One run for all: the generated types, stubs, handlers that are right and, behind @ts-expect-error, mistakes.
  it('accepts what is right, stubs included, and refuses every mistake', { timeout: 60_000 }, () => {
    const { stdout, status } = spawnSync(process.execPath, [tsc, '-p', fixtures], { encoding: 'utf8' });
    expect(stdout).toBe('');
    expect(status).toBe(0);
  });

  it('is tried with mistakes of every kind', () => {
    for (const file of ['wrong.ts', 'wrong-calls.ts']) {
      const wrong = readFileSync(new URL(`fixtures/src/${file}`, import.meta.url), 'utf8');
      expect(wrong.match(/@ts-expect-error/g)?.length, file).toBeGreaterThanOrEqual(40);
    }
    const partners = readFileSync(new URL('fixtures/src/wrong-partners.ts', import.meta.url), 'utf8');
    expect(partners.match(/@ts-expect-error/g)?.length).toBeGreaterThanOrEqual(14);
  });

  it('returns the handler that it is given, at run time', async () => {
    const { defineHandler } = await import('./fixtures/generated/handlers.ts');
    const handler = { onRequest: () => ({}) };
    expect(defineHandler('LOCATIONS_GET', handler)).toBe(handler);
  });

  it('answers 501 from a stub', async () => {
    const { default: stub } = await import('./fixtures/src/handlers/locations-get.ts');
    const context = { operation: { id: 'LOCATIONS_GET' } } as LOCATIONS_GET_Context;
    await expect(stub.onRequest({ REGION: 'N' }, context)).rejects.toThrowError(
      expect.objectContaining({
        code: 'NOT_WRITTEN',
        status: 501,
        message: 'LOCATIONS_GET is declared, but its code is not written yet.',
      }),
    );
  });
});
