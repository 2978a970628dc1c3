import { expect, test } from 'vitest';
import { describeOpenApi } from '../../src/describe/index.ts';
import type { Service } from '../../src/model/service.ts';
import { load } from '../load/linked.ts';
import { base } from './samples.ts';

function tagsOf(keys: string, operation: string) {
  const registry = load(
    `service: Desk.v1\ndescription: A desk.\npublic: true\n${keys}\noperations:\n  A: { get: a, response: text, ${operation} }\n  B: { get: b, response: text }`,
  );
  const described = JSON.parse(describeOpenApi(registry, registry.services.get('Desk.v1') as Service, { base }));
  const { paths, tags } = described;
  return { a: paths['/Desk.v1/a'].get.tags, b: paths['/Desk.v1/b'].get.tags, tags };
}

test('operations have the id of their service as tag', () => {
  expect(tagsOf('', '')).toEqual({
    a: ['Desk.v1'],
    b: ['Desk.v1'],
    tags: [{ name: 'Desk.v1', description: 'A desk.' }],
  });
});

test('operations have the tags that they or their service declare', () => {
  expect(tagsOf('tags: [desk]', 'tags: [quick, desk]')).toEqual({
    a: ['quick', 'desk'],
    b: ['desk'],
    tags: [{ name: 'quick' }, { name: 'desk' }],
  });
});

test('an empty list is for operations without tags', () => {
  expect(tagsOf('tags: []', '')).toEqual({});
});
