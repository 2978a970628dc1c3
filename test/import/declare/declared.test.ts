import { describe, expect, it } from 'vitest';
import { withShared } from '../../../src/import/declare/declared.ts';
import type { DeclaredMap } from '../../../src/import/index.ts';
import { declaredOf, errorsOf, yamlOf } from '../support.ts';
import { inOut, message, service, types, wrapper, wsdl } from '../wsdl/wsdl-text.ts';

const shared = (operations: DeclaredMap): DeclaredMap =>
  withShared({ kind: 'service', id: 'S.v1', keys: { permission: 'P', operations }, file: 'service' }).keys;

describe('what the operations of a service have in common', () => {
  it('is written once, at the service', () => {
    const common = { style: 'rpc', faults: { Bad: 'BAD' }, properties: { MTOM: 'Y' }, requires: 'basic' };
    expect(shared({ a: { soap: true, ...common }, b: { soap: 'B', ...common } })).toEqual({
      permission: 'P',
      ...common,
      operations: { a: { soap: true }, b: { soap: 'B' } },
    });
  });

  it('stays with them where one of them differs, and with a single operation', () => {
    const operations = { a: { post: 'a', fault: 'BAD', requires: 'basic' }, b: { post: 'b', fault: 'WORSE' } };
    expect(shared(operations)).toEqual({ permission: 'P', operations });
    expect(shared({ a: { soap: true, style: 'rpc' } })).toEqual({
      permission: 'P',
      operations: { a: { soap: true, style: 'rpc' } },
    });
  });

  it('is single headers, unless they have a field of the request', () => {
    const headers = { 'Content-Type': 'application/xml', 'X-Id': '{ID}' };
    expect(shared({ a: { post: 'a', headers: { ...headers, 'X-A': '1' } }, b: { post: 'b', headers } })).toEqual({
      permission: 'P',
      headers: { 'Content-Type': 'application/xml' },
      operations: {
        a: { post: 'a', headers: { 'X-Id': '{ID}', 'X-A': '1' } },
        b: { post: 'b', headers: { 'X-Id': '{ID}' } },
      },
    });
  });

  it('does not reach operations that can not be called', () => {
    expect(shared({ a: { soap: true, wrapped: false }, b: { soap: true, request: 'D', active: false } })).toEqual({
      permission: 'P',
      wrapped: false,
      operations: { a: { soap: true }, b: { soap: true, request: 'D', active: false, wrapped: true } },
    });
  });

  it('stays with them where check refuses it at the service, so that the operation is known', async () => {
    const text = wsdl(
      types(wrapper('get', 'x') + wrapper('got', 'x')) +
        message('get', 'element="t:get"') +
        message('got', 'element="t:got"') +
        service({ one: inOut('get', 'got'), two: inOut('get', 'got') }),
    );
    const { declared, losses } = await declaredOf(
      { 'a.wsdl': text },
      {
        judge: (all) =>
          all.flatMap(({ kind, id, keys }) => {
            if (kind !== 'service') return [];
            if (keys.wrapped === false) return [{ kind, id, message: 'It is odd.' }];
            const isOdd = JSON.stringify(keys).includes('urn:t/two');
            return isOdd ? [{ kind, id, operation: 'two', message: 'It is odd.' }] : [];
          }),
      },
    );
    expect(errorsOf(declared)).toEqual([]);
    expect(losses).toMatchObject([{ what: 'the operation two of Orders.v1, which is not valid: It is odd' }]);
    expect(yamlOf(declared).service).toContain('  two: { soap: true, active: false }\n');
  });
});
