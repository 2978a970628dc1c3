import { describe, expect, it } from 'vitest';
import type { InvokeError } from '../../src/invoke/index.ts';
import { document, field } from '../support/registry.ts';
import { remote } from './rest-support.ts';
import { attachment, client, deadAddress, node, partner, target, thrown } from './support.ts';

const CALL = { method: 'GET', templates: ['a'] } as const;

async function failure(called: Promise<unknown>): Promise<InvokeError> {
  return (await thrown(called)) as InvokeError;
}

describe('an error says how often a call was tried', () => {
  it('that was answered with a status', async () => {
    const { url, seen } = await target({ status: 503, headers: { 'Content-Type': 'text/html' }, body: '<p>' });
    const error = await failure(client(remote(url, CALL)).call('SOME_CALL', {}));
    expect(error).toMatchObject({ code: 'HTTP_STATUS', attempts: 3, responseStatus: 10 });
    expect(seen).toHaveLength(3);
  });

  it('that found nobody', async () => {
    const url = new URL(await deadAddress()).origin;
    const error = await failure(client(remote(url, CALL)).call('SOME_CALL', {}));
    expect(error).toMatchObject({ code: 'CONNECTION', attempts: 3 });
  });

  it('whose time is up', async () => {
    const { url } = await target({ status: 503, headers: { 'Retry-After': '30' } });
    const calling = client(remote(url, CALL)).call('SOME_CALL', {}, { timeout: 300 });
    expect(await failure(calling)).toMatchObject({ code: 'TIMEOUT', attempts: 1, sent: { method: 'GET' } });
  });

  it('whose reply can not be read', async () => {
    const { url } = await target({ headers: { 'Content-Type': 'application/json' }, body: '{' });
    const response = document('OUT', [field('NAME')]);
    const error = await failure(client(remote(url, { ...CALL, response })).call('SOME_CALL', {}));
    expect(error).toMatchObject({ code: 'BAD_REPLY', attempts: 1 });
  });

  it('whose content can not be read any further, and where to', async () => {
    const { url } = await target({});
    const content = {
      ...attachment('abc'),
      async *stream() {
        yield Buffer.from('a');
        throw new Error('the disk is gone');
      },
    };
    const options = { method: 'POST', templates: ['a'], body: 'binary', fields: [field('content', 'binary')] } as const;
    const error = await failure(client(remote(url, options)).call('SOME_CALL', { content }));
    expect(error).toMatchObject({ code: 'BAD_INPUT', attempts: 1, called: { address: `${url}/a` } });
  });

  it('that was not sent at all', async () => {
    const { url, seen } = await target({});
    const error = await failure(client(remote(url, CALL)).call('SOME_CALL', { other: 1 }));
    expect(error).toMatchObject({ code: 'BAD_INPUT', attempts: 0 });
    expect(seen).toEqual([]);
  });
});

describe('what has no place in a request is refused', () => {
  it('segments over REST', async () => {
    const { url, seen } = await target({});
    const calling = client(remote(url, CALL)).call('SOME_CALL', {}, { segments: [attachment('abc')] });
    expect(await failure(calling)).toMatchObject({
      code: 'BAD_INPUT',
      message: 'SOME_CALL: segments are for calls over SOAP, and this operation is called over REST',
    });
    expect(seen).toEqual([]);
  });

  it('a URI index over SOAP', async () => {
    const { url, seen } = await target({});
    const calling = client(partner(node('PARTNER', [url]))).call('FILE_SEND', {}, { uriIndex: 1 });
    expect(await failure(calling)).toMatchObject({
      code: 'BAD_INPUT',
      message: 'FILE_SEND: a URI index is for calls over REST, and this operation is called over SOAP',
    });
    expect(seen).toEqual([]);
  });
});
