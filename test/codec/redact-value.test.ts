import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileNames, compileSecrets } from '../../src/codec/redact/declared.ts';
import { createRedactor } from '../../src/codec/redact/redactor.ts';
import { load } from '../load/linked.ts';

const SECRET = 'a "secret"/é 7';

describe('a value', () => {
  const redactor = createRedactor(() => ['', SECRET, '12345', 'Y']);
  const redact = (value: unknown): unknown => redactor.value(value);

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
        expect(createRedactor(() => ['', SECRET]).value(value)).toBe(value);
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
    const many = createRedactor(() => Array.from({ length: 10_000 }, (_, index) => `secret ${index}`));
    const told = many.value(Array.from({ length: 2000 }, (_, index) => `text ${index}`)) as string[];
    expect(told[0]).toBe('text 0');
    expect(told.at(-1)).toBe('***');
  });
});

describe('an error', () => {
  const redactor = createRedactor(() => [SECRET]);

  it('stays the same one, without secrets in it and its causes', () => {
    const inner = new RangeError(`inner ${SECRET}`);
    const cause = Object.assign(new AggregateError([inner, SECRET], `cause ${SECRET}`), { given: { SECRET } });
    const error: Error & { self?: unknown } = new TypeError(`outer ${SECRET}`, { cause });
    error.self = error;
    expect(redactor.error(error)).toBe(error);
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
    const told = redactor.error(thrown);
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

it('masks by name what a document that holds itself has inside something secret, by all its names', () => {
  const registry = load(`
node: PARTNER
base: https://example.org
---
document: PART
fields: { NEXT: PART, PIN: { type: string, json: pinCode } }
---
service: Orders.v1
target: PARTNER
public: true
operations:
  ORDER_POST: { post: orders, request: { fields: { PLAIN: PART, SECRET: { type: PART, sensitive: true } } }, response: none }
`);
  const operation = registry.consumers.get('ORDER_POST');
  if (operation?.kind !== 'rest') throw new TypeError('ORDER_POST');
  const redactor = createRedactor().knowing({ hide: compileNames([operation.input]) });
  expect(redactor.text('{"pinCode":"1234","other":"1234"}')).toBe('{"pinCode":"***","other":"1234"}');
});

it('masks the text of an element that is a sensitive field, by the name of the element', () => {
  const registry = load(`
node: PARTNER
base: https://example.org
---
document: TOKEN
fields: { VALUE: { type: string, content: true, sensitive: true }, KIND: { type: string, attribute: true } }
---
service: Orders.v1
target: PARTNER
public: true
operations:
  ORDER_POST: { post: orders, request: { fields: { A: TOKEN, B: list of TOKEN, C: map of TOKEN } }, response: none }
`);
  const operation = registry.consumers.get('ORDER_POST');
  if (operation?.kind !== 'rest') throw new TypeError('ORDER_POST');
  const redactor = createRedactor().knowing({ hide: compileNames([operation.input]) });
  expect(redactor.text('<A KIND="k">secret</A><B><TOKEN>secret</TOKEN></B><C><entry key="a">secret</entry></C>')).toBe(
    '<A KIND="k">***</A><B><TOKEN>***</TOKEN></B><C><entry key="a">***</entry></C>',
  );
});

describe('what has the form of a secret', () => {
  const jwt = `eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJkZW1vIn0.${'x'.repeat(43)}`;

  it.each([
    ['postgres://reader:pa55@db.example.org/hr', 'postgres://reader:***@db.example.org/hr'],
    ['http://localhost:8080/a@b and https://example.org', 'http://localhost:8080/a@b and https://example.org'],
    [
      'key -----BEGIN EC PRIVATE KEY-----\nMHc=\n-----END EC PRIVATE KEY----- end',
      'key -----BEGIN EC PRIVATE KEY-----***-----END EC PRIVATE KEY----- end',
    ],
    ['-----BEGIN PRIVATE KEY-----\nMHc', '-----BEGIN PRIVATE KEY-----***'],
    ['Bearer sbk_demo_0123456789abcdef was sent', 'Bearer *** was sent'],
    ['Basic ZGVtbzpwYXNzd29yZA==', 'Basic ***'],
    [
      'the Basic internationalisation of Bearer authentication',
      'the Basic internationalisation of Bearer authentication',
    ],
    [`the token ${jwt} has expired`, 'the token *** has expired'],
  ])('%s', (given, shown) => {
    expect(createRedactor().text(given)).toBe(shown);
  });
});

describe('a redactor', () => {
  it('knows what the one knows that it was made from, and what that learns later', () => {
    const first = createRedactor(() => ['configured']);
    const second = first.knowing({ secrets: () => ['request'] });
    first.learn(['fetched']);
    expect(second.text('configured, request, fetched')).toBe('***, ***, ***');
    expect(first.text('configured, request, fetched')).toBe('***, request, ***');
  });

  it('masks headers by their name and the secrets in others; the scheme of credentials stays', () => {
    const headers = {
      Authorization: 'Bearer abc',
      Cookie: 'a=b',
      'X-Api-Key': 'k',
      'X-Echo': 'is s3cret',
      Accept: '*/*',
    };
    expect(createRedactor(() => ['s3cret']).headers(headers)).toEqual({
      Authorization: 'Bearer ***',
      Cookie: '***',
      'X-Api-Key': '***',
      'X-Echo': 'is ***',
      Accept: '*/*',
    });
  });
});
