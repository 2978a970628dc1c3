import { describe, expect, it } from 'vitest';
import { typesFile } from '../../src/generate/types-file.ts';
import { vocabulary } from '../../src/generate/vocabulary.ts';
import type { RestConsumer } from '../../src/model/consumer.ts';
import type { Field } from '../../src/model/field.ts';
import type { FlowStep } from '../../src/model/flow.ts';
import { document, field } from '../support/registry.ts';
import { fullRegistry } from './full-registry.ts';

const registry = fullRegistry();

/** What the types say of a flow with these fields whose steps are these consumers. */
function flowType(fields: readonly Field[], consumers: readonly RestConsumer[]): string {
  const flow = registry.flows.get('Library.v1.upload')!;
  const steps = consumers.map((operation): FlowStep => ({ operation, keep: [], renewOn: [] }));
  const one = { ...flow, steps, input: document('INPUT', fields) };
  const types = typesFile(vocabulary({ ...registry, flows: new Map([[one.id, one]]) }));
  return /export type Library_v1_upload_Call = (\{.*?\n\});/s.exec(types)?.[1] ?? '';
}

const upload = registry.consumers.get('FILE_UPLOAD') as RestConsumer;
const plain: RestConsumer = {
  ...upload,
  id: 'FILE_COPY',
  filled: new Map(),
  properties: { ...upload.properties, base64ToBinary: false },
};
const [file, site] = ['FILE', 'SITE'].map((name) => upload.input.fields.find((each) => each.name === name)!) as [
  Field,
  Field,
];

describe('the input of a flow', () => {
  it('may be Base64 text only where each step that takes it says so', () => {
    expect(flowType([file], [upload])).toContain('FILE: Attachment | string;');
    expect(flowType([file], [upload, plain])).toContain('FILE: Attachment;');
    expect(flowType([file], [plain])).toContain('FILE: Attachment;');
  });

  it('says what fills a field where it may be left out', () => {
    expect(flowType([site], [upload])).toContain('If absent: `${env:LIBRARY_SITE:-main}`.');
    expect(flowType([site], [plain])).not.toContain('left out');
    expect(flowType([{ ...site, required: true }], [upload, plain])).not.toContain('left out');
  });

  it('names all that may fill it, each once', () => {
    const other = { ...plain, filled: new Map([['SITE', { source: '${env:OTHER}', parts: [] }]]) };
    const text = flowType([site], [upload, other, upload]);
    expect(text).toContain('If absent: `${env:LIBRARY_SITE:-main}` or `${env:OTHER}`.');
  });
});

/** The types of a project that has nothing but this consumer, with these fields. */
function typesOf(consumer: RestConsumer, fields: readonly Field[]): string {
  const one = { ...consumer, id: 'ONE', input: document('ONE_INPUT', fields) };
  const rest = { operations: new Map(), flows: new Map(), documents: new Map(), queries: new Map() };
  return typesFile(vocabulary({ ...registry, ...rest, consumers: new Map([[one.id, one]]) }));
}

describe('the types of calls', () => {
  it('need nothing of the package that they do not name', () => {
    const types = typesOf(plain, [field('A')]);
    expect(types).not.toContain("from 'signalbox'");
    expect(types).toContain('export type ONE_Call = {');
  });

  it('promise nothing of the reply to HEAD, whatever the operation declares', () => {
    expect(typesOf(upload, [])).toContain('export type ONE_Reply = LIBRARY_FILE_Received;');
    expect(typesOf({ ...upload, method: 'HEAD' }, [])).toContain('export type ONE_Reply = Record<never, never>;');
  });

  it('take Attachment from the package where a body may be Base64 text', () => {
    expect(typesOf(upload, [file])).toContain("import type { Attachment } from 'signalbox';");
  });
});
