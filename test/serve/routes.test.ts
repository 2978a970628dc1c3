import { describe, expect, it } from 'vitest';
import { Fault } from '../../src/model/fault.ts';
import { compileRoutes } from '../../src/serve/rest/routes.ts';
import { compileUriMatcher } from '../../src/wire/uri-template/match.ts';
import { parseUriTemplate } from '../../src/wire/uri-template/uri-template.ts';
import { load } from '../load/linked.ts';

// A match tries only the templates that can begin as the path does. It finds the same as trying every template.

const TEMPLATES = [
  'a',
  'a/b',
  'a/{+A}',
  'ab{/A}',
  'a.b/{A}',
  'a-{A}/c',
  '{A}',
  '{A}.{B}/f',
  'x%20y/{A}',
  '~u/{A}',
  'q/?op=list',
  '{;A}',
];

/** Templates of one method must not overlap. */
const METHODS: Readonly<Record<string, string>> = { '{A}': 'delete', '{;A}': 'patch', '{A}.{B}/f': 'put' };

const PATHS = TEMPLATES.flatMap((template) => {
  const path = template
    .replace(/\?.*$/, '')
    .replace(/\{\/\w\*?\}/g, '/v')
    .replace(/\{[^}]*\}/g, 'v');
  const escaped = path.replace(/[a-z~]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
  return [path, `${path}/`, `/${path}`, `${path}/more`, escaped, path.toUpperCase(), path.slice(1)];
}).concat('', '/', '//', '%', '%4%31/b', 'a%2Fb', 'a%2fb', 'a//b');

describe('finding the templates of a path', () => {
  const operations = TEMPLATES.map(
    (template, index) => `  O${index}: { ${METHODS[template] ?? 'get'}: "${template}" }`,
  );
  const routes = compileRoutes(
    load(
      `service: S.v1\npublic: true\ndefault: true\nrequest: { fields: { A: string, B: string } }\noperations:\n${operations.join('\n')}\n`,
    ),
  );
  const every = TEMPLATES.map((text, index) => ({
    operation: `O${index}`,
    matcher: compileUriMatcher(parseUriTemplate(text), () => 'string'),
  }));

  it.each(['S.v1', 'S', 'LOCAL/S.v1'])('of the service as %s', (service) => {
    let matches = 0;
    for (const path of PATHS) {
      const expected = every.flatMap(({ operation, matcher }) => {
        const raw = matcher.matchPath(path);
        return raw === undefined ? [] : [[operation, raw]];
      });
      const found = ((): unknown[] => {
        try {
          return routes.findPath(`${service}/${path}`).map(({ entry, raw }) => [entry.operation.id, raw]);
        } catch (error) {
          if (error instanceof Fault && error.code === 'NOT_FOUND') return [];
          throw error;
        }
      })();
      expect(new Map(found as [string, unknown][]), path).toEqual(new Map(expected as [string, unknown][]));
      matches += expected.length;
    }
    expect(matches).toBeGreaterThan(PATHS.length / 2);
  });
});
