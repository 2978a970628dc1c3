import { expect, it } from 'vitest';
import { judgeByCheck } from '../../../src/cli/import/judge.ts';
import { type Declared, ImportError, type Judge } from '../../../src/import/index.ts';
import { declaredOf, errorsOf, yamlOf } from '../support.ts';
import { inOut, message, service, types, wrapper, wsdl } from '../wsdl/wsdl-text.ts';

const text = wsdl(
  types(wrapper('get', 'x') + wrapper('got', 'x')) +
    message('get', 'element="t:get"') +
    message('got', 'element="t:got"') +
    service({ one: inOut('get', 'got'), two: inOut('get', 'got') }),
);

/** Refuses a definition, or an operation, as long as it has a text. */
const refusing =
  (refused: { readonly kind: string; readonly id: string; readonly operation?: string }, found: string): Judge =>
  (declared: readonly Declared[]) => {
    const it = declared.find(({ kind, id }) => kind === refused.kind && id === refused.id);
    return JSON.stringify(it ?? '').includes(found) ? [{ ...refused, message: 'It is odd.' }] : [];
  };

const imported = (judge: Judge) => declaredOf({ 'orders.wsdl': text }, { as: 'provider', judge });

it('a document that check refuses is any XML, and its message is told', async () => {
  const { declared, losses } = await imported(refusing({ kind: 'document', id: 'got' }, '"x"'));
  expect(errorsOf(declared)).toEqual([]);
  expect(yamlOf(declared).documents).toContain('document: got\nfields:\n  content: { type: xml, content: true }\n');
  expect(losses).toMatchObject([
    {
      what: 'the document got, which is not valid: It is odd',
      instead: 'taken as any XML',
      place: { source: 'orders.wsdl' },
    },
  ]);
});

it('an operation that check refuses is declared without its messages', async () => {
  const { declared, losses } = await imported(
    refusing({ kind: 'service', id: 'Orders.v1', operation: 'two' }, 'urn:t/two'),
  );
  expect(errorsOf(declared)).toEqual([]);
  expect(yamlOf(declared).service).toContain('  two: { soap: true, active: false }\n');
  expect(losses).toMatchObject([
    { what: 'the operation two of Orders.v1, which is not valid: It is odd', place: { source: 'orders.wsdl' } },
  ]);
});

it('what has no simpler form is an error with its place', async () => {
  const judge: Judge = () => [{ kind: 'document', id: 'got', message: 'It is odd.' }];
  await expect(imported(judge)).rejects.toThrow(ImportError);
  await expect(imported(judge)).rejects.toThrow(
    /orders\.wsdl:\d+:\d+: the document got can't be declared: It is odd\./,
  );
});

it('check names definitions and operations', () => {
  const declared: Declared[] = [
    { kind: 'document', id: 'D', keys: { fields: { A: 'none-such' } }, file: 'documents' },
    {
      kind: 'service',
      id: 'S.v1',
      keys: { public: true, operations: { good: { soap: true, response: 'text' }, bad: { soap: true, request: 'E' } } },
      file: 'service',
    },
  ];
  expect(judgeByCheck(declared)).toMatchObject([
    { kind: 'document', id: 'D' },
    { kind: 'service', id: 'S.v1', operation: 'bad' },
  ]);
});
