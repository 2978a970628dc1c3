import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactError, redactionOf } from '../../src/codec/redact/redact-value.ts';
import { compileSecrets } from '../../src/codec/redact/secrets.ts';
import { load } from '../load/linked.ts';

const SECRET = 'a "secret"/é 7';

describe('a value', () => {
  const redact = redactionOf(() => ['', SECRET, '12345', 'Y']);

  it('holds no secret afterwards, wherever it stood', () => {
    const depth = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom<unknown>(SECRET, `in ${SECRET}.`, encodeURIComponent(SECRET), 12345, 12345n, 'Y', true, null),
        fc.array(tie('value')),
        fc.dictionary(fc.constantFrom('A', 'B', SECRET), tie('value')),
      ),
    })).value;
    const text = (value: unknown): string =>
      JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? String(each) : each)) ?? '';
    fc.assert(
      fc.property(depth, (value) => {
        expect(text(redact(value))).not.toMatch(/secret|12345|"Y"/);
      }),
    );
  });

  it('is the same one where it repeats none', () => {
    fc.assert(
      fc.property(fc.object({ withDate: true, withNullPrototype: true, withBigInt: true }), (value) => {
        fc.pre(!fc.stringify(value).includes('NaN'));
        expect(redactionOf(() => ['', SECRET])(value)).toBe(value);
      }),
    );
  });

  it('may hold itself, fail, or be too deep', () => {
    const circle: Record<string, unknown> = { name: SECRET };
    circle.self = circle;
    expect(redact(circle)).toEqual({ name: '***', self: '[Circular]' });
    const fails = {
      get it() {
        throw new Error(SECRET);
      },
    };
    expect(redact(fails)).toBe('***');
    let deep: unknown = SECRET;
    for (let i = 0; i < 100_000; i++) deep = [deep];
    expect(redact(deep)).toBe('***');
  });

  it('is masked as a whole beyond what can be searched', () => {
    const many = redactionOf(() => Array.from({ length: 10_000 }, (_, index) => `secret ${index}`));
    const told = many(Array.from({ length: 2000 }, (_, index) => `text ${index}`)) as string[];
    expect(told[0]).toBe('text 0');
    expect(told.at(-1)).toBe('***');
  });
});

describe('an error', () => {
  const redact = redactionOf(() => [SECRET]);

  it('stays the same one, without secrets in it and its causes', () => {
    const inner = new RangeError(`inner ${SECRET}`);
    const cause = Object.assign(new AggregateError([inner, SECRET], `cause ${SECRET}`), { given: { SECRET } });
    const error: Error & { self?: unknown } = new TypeError(`outer ${SECRET}`, { cause });
    error.self = error;
    expect(redactError(error, redact)).toBe(error);
    expect(error).toMatchObject({ message: 'outer ***', cause, self: error });
    expect(error.stack).toMatch(/^TypeError: outer \*\*\*\n +at /);
    expect(cause).toMatchObject({ message: 'cause ***', errors: [inner, '***'], given: { SECRET: '***' } });
    expect(inner.message).toBe('inner ***');
  });

  it.each([
    Object.freeze(new Error(`frozen ${SECRET}`)),
    new DOMException(`said ${SECRET}`, 'AbortError'),
    `text ${SECRET}`,
    { code: SECRET },
  ])('that can not be changed, or is none: %o', (thrown) => {
    const told = redactError(thrown, redact);
    expect(JSON.stringify(told) + String(told) + (told instanceof Error ? told.stack : '')).not.toContain('secret');
  });
});

it('reads what is sensitive at any depth, of a document that holds itself too; nothing where nothing is', () => {
  const registry = load(`document: PART
fields: { NEXT: PART, MANY: list of PART, PIN: { type: integer, sensitive: true }, OPEN: text }
---
document: PLAIN
fields: { NEXT: PLAIN, OPEN: text }
---
service: Parts.v1
public: true
operations:
  PART_POST: { post: parts, request: { fields: { PART: PART, PLAIN: PLAIN, ANY: { type: json, sensitive: true } } }, handler: part }
  PLAIN_POST: { post: plain, request: PLAIN, handler: part }
`);
  const secretsOf = (id: string) => {
    const request = registry.operations.get(id)?.request;
    return request?.kind === 'document' ? compileSecrets(request.document.fields) : undefined;
  };
  expect(secretsOf('PLAIN_POST')).toBeUndefined();
  const PART = { PIN: 1, OPEN: 'x', NEXT: { PIN: 2n, MANY: [{ PIN: 3 }, { NEXT: { PIN: 4 } }] } };
  const found = secretsOf('PART_POST')?.({ PART, PLAIN: { OPEN: 'y' }, ANY: { a: ['b', 5, true, null] } } as never);
  expect([...(found ?? [])].sort()).toEqual(['1', '2', '3', '4', '5', 'b']);
});
