import { describe, expect, it, vi } from 'vitest';
import { FlowError, InvokeError } from '../../src/invoke/error.ts';
import type { FlowOptions } from '../../src/invoke/index.ts';
import { document, field } from '../support/registry.ts';
import {
  DIGEST,
  flow,
  flowsOf,
  LIBRARY,
  library,
  operation,
  refused,
  soapOperation,
  step,
  TOKEN,
} from './flow-support.ts';
import { attachment, thrown } from './support.ts';

const INPUT = { Tenant: 'T1', Site: 'HR' };
const run = { requestId: 'run-1' };

describe('a flow', () => {
  it('makes its steps in order, and gives to each what it takes of the input and of earlier replies', async () => {
    const flows = flowsOf(library());
    const reply = await flows.run(LIBRARY, INPUT, run);
    expect(flows.made.map(({ operation: id, input }) => [id, input])).toEqual([
      ['TOKEN', { Tenant: 'T1' }],
      ['DIGEST', { Site: 'HR', ACCESS_TOKEN: 'token 1 of T1' }],
      ['UPLOAD', { Site: 'HR', ACCESS_TOKEN: 'token 1 of T1', FORM_DIGEST: 'digest 1' }],
    ]);
    expect(reply.value).toEqual({ Site: 'HR', ACCESS_TOKEN: 'token 1 of T1', FORM_DIGEST: 'digest 1' });
    expect(reply.requestId).toBe('run-1');
    expect(flows.closed).toEqual(['TOKEN', 'DIGEST']);
  });

  it('tells what became of each step', async () => {
    const flows = flowsOf(library());
    const told: unknown[] = [];
    const onStep: FlowOptions['onStep'] = ({ index, operation: { id } }) => void told.push([index, id]);
    await flows.run(LIBRARY, INPUT, { ...run, onStep });
    const { steps } = await flows.run(LIBRARY, INPUT, run);
    const sent = { httpResponseCode: 200, attempts: 1, timings: { connected: undefined, sent: 1, head: 2, value: 3 } };
    const kept = { kept: true, httpResponseCode: undefined, attempts: 0, timings: undefined };
    expect(steps).toEqual([
      { operation: 'TOKEN', ...kept },
      { operation: 'DIGEST', ...kept },
      { operation: 'UPLOAD', kept: false, ...sent },
    ]);
    expect(told).toEqual([
      [1, 'TOKEN'],
      [2, 'DIGEST'],
      [3, 'UPLOAD'],
    ]);
  });

  it('has the time of each step, and hands on the id, the progress and the heads', async () => {
    const timed = { ...LIBRARY, steps: LIBRARY.steps.map((each, index) => ({ ...each, timeout: 1000 + index })) };
    const flows = flowsOf(({ options: { onSent }, ...made }, count) => {
      onSent?.(count, 10);
      return library()({ options: {}, ...made }, count);
    });
    const [sent, heads] = [vi.fn(), { onReply: () => undefined }];
    await flows.run(timed, INPUT, { ...run, onSent: sent, heads });
    expect(flows.made.map(({ options }) => [options.timeout, options.requestId, options.heads])).toEqual([
      [1000, 'run-1', heads],
      [1001, 'run-1', heads],
      [1002, 'run-1', heads],
    ]);
    expect(sent.mock.calls).toEqual([
      [1, 10],
      [1, 10],
      [1, 10],
    ]);
  });

  it('writes a number that is kept for a text by its digits', async () => {
    const kept = { ...LIBRARY, steps: [step(TOKEN, { keep: { ACCESS_TOKEN: 'token' } }), step(DIGEST)] };
    for (const [token, text] of [
      [17, '17'],
      [2n ** 60n, '1152921504606846976'],
      [true, 'true'],
      ['1.50', '1.50'],
    ] as const) {
      const flows = flowsOf(({ operation: id, input }) => (id === 'TOKEN' ? { token } : input));
      expect((await flows.run(kept, INPUT, run)).value.ACCESS_TOKEN).toBe(text);
    }
  });
});

describe('before anything is sent', () => {
  it('all names are told that are no input, and all that are missing', async () => {
    const flows = flowsOf(library());
    const error = await thrown(flows.run(LIBRARY, { Tenand: 'T1', ACCESS_TOKEN: 'own' }, run));
    expect(error).toBeInstanceOf(InvokeError);
    expect(error).toMatchObject({
      code: 'BAD_INPUT',
      message:
        'Library.v1.upload: "Tenand" is not an input of the flow (did you mean Tenant?); "ACCESS_TOKEN" is not an input of the flow; ' +
        'Tenant is missing; Site is missing',
      called: { operation: 'Library.v1.upload', requestId: 'run-1' },
    });
    expect(flows.made).toEqual([]);
  });

  it('the configuration of all steps is looked up at once', async () => {
    const missing = new InvokeError('CONFIGURATION', { operation: 'x', requestId: 'r' }, 'A and B are not set');
    const flows = flowsOf(library(), {
      configure(calls) {
        expect(calls.map((each) => each.operation.id)).toEqual(['TOKEN', 'DIGEST', 'UPLOAD']);
        throw missing;
      },
    });
    expect(await thrown(flows.run(LIBRARY, INPUT, run))).toBe(missing);
    expect(() => flows.preview(LIBRARY, INPUT, run)).toThrow(missing);
    expect(flows.made).toEqual([]);
  });

  it('a value that the last step would refuse is refused', async () => {
    const flows = flowsOf(library(), {
      preview({ id }, _input, _options, called) {
        if (id === 'UPLOAD') throw new InvokeError('BAD_INPUT', called, 'Site is too long');
        return { operation: id, method: 'POST', url: '', headers: {}, body: undefined };
      },
    });
    const error = await thrown(flows.run(LIBRARY, INPUT, run));
    expect(error).toMatchObject({ code: 'BAD_INPUT', message: 'Library.v1.upload: Site is too long' });
    expect(flows.made).toEqual([]);
  });

  it('the requests can be seen, with names for what is not there yet', () => {
    const shown = flowsOf(library()).preview(LIBRARY, INPUT, run);
    expect(shown.map(({ operation: id, body }) => [id, JSON.parse(body!)])).toEqual([
      ['TOKEN', { Tenant: 'T1' }],
      ['DIGEST', { Site: 'HR', ACCESS_TOKEN: '<ACCESS_TOKEN>' }],
      ['UPLOAD', { Site: 'HR', ACCESS_TOKEN: '<ACCESS_TOKEN>', FORM_DIGEST: '<FORM_DIGEST>' }],
    ]);
  });

  it('over SOAP a name stands for a value of any type, while the others are checked as they are', () => {
    const input = document('NOTE_INPUT', [
      field('NUMBER', 'integer', { required: true, minimum: 1 }),
      field('CODE', 'string(3)', { patterns: ['[a-z]+'] }),
      field('TEXT', 'string(5)'),
    ]);
    const noted = flow(document('NOTE_FLOW', [field('Tenant', 'text'), field('TEXT', 'string(5)')]), [
      step(TOKEN, { keep: { NUMBER: 'number', CODE: 'code' } }),
      step(soapOperation('NOTE', input)),
    ]);
    const seen: unknown[] = [];
    const flows = flowsOf(library(), {
      preview(shown, value) {
        if (shown.kind === 'soap' && shown.soap.request.kind === 'document') {
          seen.push(
            value,
            ...shown.soap.request.document.fields.map(({ name, type, patterns }) => [name, type, patterns]),
          );
        }
        return { operation: shown.id, method: 'POST', url: '', headers: {}, body: undefined };
      },
    });
    flows.preview(noted, { Tenant: 'T1', TEXT: 'abc' }, run);
    expect(seen).toEqual([
      { TEXT: 'abc', NUMBER: '<NUMBER>', CODE: '<CODE>' },
      ['NUMBER', { kind: 'text' }, undefined],
      ['CODE', { kind: 'text' }, undefined],
      ['TEXT', { kind: 'string', length: 5 }, undefined],
    ]);
  });
});

describe('a step that fails', () => {
  it('is named, with what was sent and what came back', async () => {
    const cause = refused('DIGEST', 500);
    const flows = flowsOf((made, count) => {
      if (made.operation === 'DIGEST') throw cause;
      return library()(made, count);
    });
    cause.sent = {
      operation: 'DIGEST',
      method: 'POST',
      url: 'http://library.example/DIGEST',
      headers: {},
      body: '***',
    };
    const error = await thrown(flows.run(LIBRARY, INPUT, run));
    expect(error).toBeInstanceOf(FlowError);
    expect(error).toMatchObject({
      code: 'HTTP_STATUS',
      message: 'Library.v1.upload: step 2 of 3, DIGEST: the target answered with 500',
      step: { index: 2, of: 3, operation: 'DIGEST' },
      flow: 'Library.v1.upload',
      httpResponseCode: 500,
      cause,
      sent: cause.sent,
    });
    expect(flows.calls()).toEqual(['TOKEN', 'DIGEST']);
  });

  it('has what happened told until then: steps that were made, that were kept, and how often the last was tried', async () => {
    const flows = flowsOf((made, count) => {
      if (made.operation !== 'UPLOAD' || count === 1) return library()(made, count);
      throw Object.assign(refused('UPLOAD', count === 2 ? 401 : 503), { attempts: count });
    });
    await flows.run(LIBRARY, INPUT, run);
    const error = (await thrown(flows.run(LIBRARY, INPUT, run))) as FlowError;
    expect(error.attempts).toBe(3);
    expect(
      error.steps.map(({ operation: id, kept, httpResponseCode: code, attempts }) => [id, kept, code, attempts]),
    ).toEqual([
      ['TOKEN', true, undefined, 0],
      ['DIGEST', true, undefined, 0],
      ['UPLOAD', false, 401, 2],
      ['TOKEN', false, 200, 1],
      ['UPLOAD', false, 503, 3],
    ]);
  });

  it.each([
    ['nothing', {}],
    ['null', { info: { digest: null } }],
    ['a value on the way that holds none', { info: 'digest' }],
    ['nothing but an inherited name', { info: Object.create({ digest: 'inherited' }) as object }],
  ])('since its reply holds %s where something is kept', async (_, value) => {
    const flows = flowsOf((made, count) => (made.operation === 'DIGEST' ? (value as never) : library()(made, count)));
    const error = await thrown(flows.run(LIBRARY, INPUT, run));
    expect(error).toMatchObject({
      code: 'BAD_REPLY',
      message: 'Library.v1.upload: step 2 of 3, DIGEST: the reply has no info.digest, which is kept as FORM_DIGEST',
      httpResponseCode: 200,
      sent: { operation: 'DIGEST', body: '{"Site":"HR","ACCESS_TOKEN":"<ACCESS_TOKEN>"}' },
      attempts: 1,
    });
    expect(flows.closed).toEqual(['TOKEN', 'DIGEST']);
  });

  it('is no InvokeError where a defect is the reason', async () => {
    const defect = new TypeError('a defect');
    const flows = flowsOf(() => {
      throw defect;
    });
    expect(await thrown(flows.run(LIBRARY, INPUT, run))).toBe(defect);
  });
});

describe('what a step keeps', () => {
  it.each([
    ['a number', 100],
    ['digits', '100'],
    ['a decimal', '100.0'],
    ['an integer of any size', 100n],
  ])('serves later runs until shortly before its time is up, told in %s', async (_, token) => {
    const flows = flowsOf(library({ token, digest: 1e6 }));
    await flows.run(LIBRARY, INPUT, run);
    flows.pass(89_999);
    await flows.run(LIBRARY, INPUT, run);
    expect(flows.calls()).toEqual(['TOKEN', 'DIGEST', 'UPLOAD', 'UPLOAD']);
    flows.pass(1);
    await flows.run(LIBRARY, INPUT, run);
    expect(flows.calls().slice(4)).toEqual(['TOKEN', 'UPLOAD']);
    expect(flows.made.at(-1)?.input).toMatchObject({ ACCESS_TOKEN: 'token 2 of T1', FORM_DIGEST: 'digest 1' });
  });

  it('is given up half a minute early at most', async () => {
    const flows = flowsOf(library({ token: 3600, digest: 1e6 }));
    await flows.run(LIBRARY, INPUT, run);
    flows.pass(3_569_999);
    await flows.run(LIBRARY, INPUT, run);
    expect(flows.calls()).toHaveLength(4);
    flows.pass(1);
    await flows.run(LIBRARY, INPUT, run);
    expect(flows.calls()).toHaveLength(6);
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['zero', 0],
    ['less than nothing', -60],
    ['words', 'an hour'],
    ['an empty text', ''],
    ['true', true],
  ])('is for one run alone where the reply says %s of its time', async (_, token) => {
    const flows = flowsOf((made, count) => {
      const value = library()(made, count);
      return made.operation === 'TOKEN' ? { ...value, expires: token } : value;
    });
    await flows.run(LIBRARY, INPUT, run);
    await flows.run(LIBRARY, INPUT, run);
    expect(flows.calls()).toEqual(['TOKEN', 'DIGEST', 'UPLOAD', 'TOKEN', 'UPLOAD']);
  });

  it('is for one run alone where the flow names no time', async () => {
    const [, ...rest] = LIBRARY.steps;
    const plain = { ...LIBRARY, steps: [step(TOKEN, { keep: { ACCESS_TOKEN: 'token' } }), ...rest] };
    const flows = flowsOf(library());
    await flows.run(plain, INPUT, run);
    await flows.run(plain, INPUT, run);
    expect(flows.calls()).toEqual(['TOKEN', 'DIGEST', 'UPLOAD', 'TOKEN', 'UPLOAD']);
  });

  it('is for the same input of the step and those before it', async () => {
    const flows = flowsOf(library());
    await flows.run(LIBRARY, INPUT, run);
    await flows.run(LIBRARY, { ...INPUT, Site: 'FIN' }, run);
    await flows.run(LIBRARY, { ...INPUT, Tenant: 'T2' }, run);
    await flows.run(LIBRARY, { Site: 'HR', Tenant: 'T1', File: attachment('x') }, run);
    expect(flows.calls()).toEqual([
      ...['TOKEN', 'DIGEST', 'UPLOAD'],
      ...['DIGEST', 'UPLOAD'],
      ...['TOKEN', 'DIGEST', 'UPLOAD'],
      'UPLOAD',
    ]);
  });

  it.each([
    [{ A: ['a', 'b'] }, { A: ['a,b'] }],
    [{ A: 1 }, { A: 1n }],
    [{ A: '1' }, { A: 1 }],
    [{ A: { B: 'b' } }, { A: [null, ['B', 'b']] }],
    [{ A: {} }, { A: [] }],
  ])('tells %j from another input', async (one, other) => {
    const input = document('ANY', [field('A', 'json')]);
    const any = flow(input, [
      step(operation('FIRST', input), { keep: { K: 'k' }, holds: 'seconds' }),
      step(operation('SECOND', document('KEPT', [field('K')]))),
    ]);
    const flows = flowsOf(({ operation: id }) => (id === 'FIRST' ? { k: 'v', seconds: 100 } : {}));
    await flows.run(any, one as never, run);
    await flows.run(any, other as never, run);
    await flows.run(any, one as never, run);
    expect(flows.calls().filter((id) => id === 'FIRST')).toHaveLength(2);
  });

  it('is not kept by another flow, nor beyond a thousand values', async () => {
    const flows = flowsOf(library());
    await flows.run(LIBRARY, INPUT, run);
    await flows.run({ ...LIBRARY }, INPUT, run);
    expect(flows.calls().filter((id) => id === 'TOKEN')).toHaveLength(2);
    for (let n = 0; n < 499; n++) await flows.run(LIBRARY, { ...INPUT, Tenant: `other ${n}` }, run);
    flows.made.length = 0;
    await flows.run(LIBRARY, { ...INPUT, Tenant: 'other 0' }, run);
    expect(flows.calls()).toEqual(['UPLOAD']);
    await flows.run(LIBRARY, INPUT, run);
    expect(flows.calls()).toEqual(['UPLOAD', 'TOKEN', 'DIGEST', 'UPLOAD']);
  });

  it('is never taken from a step whose input is content', async () => {
    const any = flow(document('ANY', [field('File', 'binary')]), [
      step(operation('FIRST', document('FILE', [field('File', 'binary')])), { keep: { K: 'k' }, holds: 'seconds' }),
      step(operation('SECOND', document('KEPT', [field('K')]))),
    ]);
    const flows = flowsOf(({ operation: id }) => (id === 'FIRST' ? { k: 'v', seconds: 100 } : {}));
    await flows.run(any, { File: attachment('a') }, run);
    await flows.run(any, { File: attachment('b') }, run);
    expect(flows.calls()).toEqual(['FIRST', 'SECOND', 'FIRST', 'SECOND']);
  });
});
