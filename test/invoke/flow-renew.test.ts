import { describe, expect, it } from 'vitest';
import { FlowError, ReplyFault } from '../../src/invoke/error.ts';
import type { Attachment } from '../../src/model/value.ts';
import { type Answer, flowsOf, LIBRARY, library, type Made, refused, step, TOKEN } from './flow-support.ts';
import { attachment, read, thrown } from './support.ts';

const INPUT = { Tenant: 'T1', Site: 'HR' };
const run = { requestId: 'run-1' };

/** The library, which refuses calls of an operation with these statuses first. */
function refusing(statuses: Readonly<Record<string, readonly number[]>>, answer: Answer = library()): Answer {
  return (made, count) => {
    const status = statuses[made.operation]?.[count - 1];
    if (status !== undefined) throw refused(made.operation, status);
    return answer(made, count);
  };
}

const tokens = ({ input }: Made): unknown[] =>
  [input.ACCESS_TOKEN, input.FORM_DIGEST].filter((each) => each !== undefined);

describe('a step that is refused with a status that an earlier one names', () => {
  it('is made once more after that one, and none in between', async () => {
    const flows = flowsOf(refusing({ UPLOAD: [401] }));
    const reply = await flows.run(LIBRARY, INPUT, run);
    expect(flows.made.map((made) => [made.operation, ...tokens(made)])).toEqual([
      ['TOKEN'],
      ['DIGEST', 'token 1 of T1'],
      ['UPLOAD', 'token 1 of T1', 'digest 1'],
      ['TOKEN'],
      ['UPLOAD', 'token 2 of T1', 'digest 1'],
    ]);
    expect(reply.steps.map((each) => [each.operation, each.httpResponseCode])).toEqual([
      ['TOKEN', 200],
      ['DIGEST', 200],
      ['UPLOAD', 401],
      ['TOKEN', 200],
      ['UPLOAD', 200],
    ]);
  });

  it('has the new value kept in place of the old one', async () => {
    const flows = flowsOf(refusing({ UPLOAD: [403] }));
    await flows.run(LIBRARY, INPUT, run);
    await flows.run(LIBRARY, INPUT, run);
    expect(flows.calls()).toEqual(['TOKEN', 'DIGEST', 'UPLOAD', 'DIGEST', 'UPLOAD', 'UPLOAD']);
    expect(flows.made.at(-1)?.input.FORM_DIGEST).toBe('digest 2');
  });

  it('is renewed once for each status', async () => {
    const flows = flowsOf(refusing({ UPLOAD: [401, 403] }));
    await flows.run(LIBRARY, INPUT, run);
    expect(flows.calls()).toEqual(['TOKEN', 'DIGEST', 'UPLOAD', 'TOKEN', 'UPLOAD', 'DIGEST', 'UPLOAD']);
    const again = flowsOf(refusing({ UPLOAD: [401, 401] }));
    const error = await thrown(again.run(LIBRARY, INPUT, run));
    expect(error).toBeInstanceOf(FlowError);
    expect(error).toMatchObject({ step: { index: 3, operation: 'UPLOAD' }, httpResponseCode: 401, hint: undefined });
    expect(again.calls()).toEqual(['TOKEN', 'DIGEST', 'UPLOAD', 'TOKEN', 'UPLOAD']);
  });

  it('has what is run anew renewed in its turn', async () => {
    const flows = flowsOf(refusing({ DIGEST: [undefined as never, 401], UPLOAD: [403] }));
    const reply = await flows.run(LIBRARY, INPUT, run);
    expect(flows.calls()).toEqual(['TOKEN', 'DIGEST', 'UPLOAD', 'DIGEST', 'TOKEN', 'DIGEST', 'UPLOAD']);
    expect(reply.value).toMatchObject({ ACCESS_TOKEN: 'token 2 of T1', FORM_DIGEST: 'digest 3' });
  });

  it('fails as the step that could not be run anew', async () => {
    const flows = flowsOf(refusing({ TOKEN: [undefined as never, 500], UPLOAD: [401] }));
    const error = await thrown(flows.run(LIBRARY, INPUT, run));
    expect(error).toMatchObject({ step: { index: 1, of: 3, operation: 'TOKEN' }, httpResponseCode: 500 });
  });

  it('is renewed where the target says so in a fault', async () => {
    const flows = flowsOf((made, count) => {
      const content = { fault: undefined, reason: 'expired', detail: '' };
      if (made.operation === 'UPLOAD' && count === 1)
        throw new ReplyFault({ operation: 'UPLOAD', requestId: 'r' }, content, { httpResponseCode: 403 });
      return library()(made, count);
    });
    await flows.run(LIBRARY, INPUT, run);
    expect(flows.calls()).toEqual(['TOKEN', 'DIGEST', 'UPLOAD', 'DIGEST', 'UPLOAD']);
  });

  it.each([
    ['of a status that none names', { UPLOAD: [500] }, 3],
    ['of the step itself', { TOKEN: [401] }, 1],
    ['that only a later step names', { DIGEST: [403] }, 2],
  ])('is not made again %s', async (_, statuses, calls) => {
    const flows = flowsOf(refusing(statuses as never));
    await thrown(flows.run(LIBRARY, INPUT, run));
    expect(flows.calls()).toHaveLength(calls);
  });

  it('is renewed by the latest of several, whether its value is kept for others or not', async () => {
    const [, digest, upload] = LIBRARY.steps;
    const plain = {
      ...LIBRARY,
      steps: [
        step(TOKEN, { keep: { ACCESS_TOKEN: 'token' }, renewOn: [401] }),
        { ...digest!, renewOn: [401, 403] },
        upload!,
      ],
    };
    const flows = flowsOf(refusing({ DIGEST: [401], UPLOAD: [401] }));
    await flows.run(plain, INPUT, run);
    expect(flows.calls()).toEqual(['TOKEN', 'DIGEST', 'TOKEN', 'DIGEST', 'UPLOAD', 'DIGEST', 'UPLOAD']);
  });
});

describe('content', () => {
  /** Reads the content before it says no. */
  const reading: Answer = async (made, count) => {
    if (made.operation !== 'UPLOAD') return library()(made, count);
    const content = await read(made.input.File);
    if (count === 1) throw refused('UPLOAD', 401);
    return { content };
  };

  it('that can be read again is sent again', async () => {
    const File = { ...attachment('all of it'), again: true };
    const reply = await flowsOf(reading).run(LIBRARY, { ...INPUT, File }, run);
    expect(reply.value).toEqual({ content: 'all of it' });
  });

  it('that was not read yet is sent once more', async () => {
    const flows = flowsOf(
      refusing({ UPLOAD: [401] }, async ({ input, ...made }, count) =>
        made.operation === 'UPLOAD' ? { content: await read(input.File) } : library()({ input, ...made }, count),
      ),
    );
    const File = attachment('all of it', 'text/plain', 'a.txt');
    const reply = await flows.run(LIBRARY, { ...INPUT, File }, run);
    expect(reply.value).toEqual({ content: 'all of it' });
    expect(flows.made.at(-1)?.input.File).toMatchObject({ contentType: 'text/plain', name: 'a.txt', length: 9 });
  });

  it('that was read is not sent again: the error says why, and the next run has a fresh value', async () => {
    const flows = flowsOf(reading);
    const error = await thrown(flows.run(LIBRARY, { ...INPUT, File: attachment('all of it') }, run));
    expect(error).toMatchObject({
      step: { index: 3, operation: 'UPLOAD' },
      httpResponseCode: 401,
      hint: expect.stringContaining('the content of File can be read only once') as string,
    });
    expect(flows.calls()).toEqual(['TOKEN', 'DIGEST', 'UPLOAD']);
    await flows.run(LIBRARY, { ...INPUT, File: attachment('again') }, run);
    expect(flows.calls().slice(3)).toEqual(['TOKEN', 'UPLOAD']);
  });

  it('inside a document is watched as well, and is no other for that', async () => {
    const File = attachment('all of it');
    const flows = flowsOf(async (made, count) => {
      if (made.operation !== 'UPLOAD') return library()(made, count);
      const [first] = (made.input.File as unknown as { list: Attachment[] }).list;
      await read(first);
      throw refused('UPLOAD', 401);
    });
    const error = await thrown(flows.run(LIBRARY, { ...INPUT, File: { list: [File], other: 1 } as never }, run));
    expect(error).toMatchObject({ hint: expect.stringContaining('File') as string });
    expect(flows.made.at(-1)?.input.File).toMatchObject({ other: 1 });
  });
});
