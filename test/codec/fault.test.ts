import { describe, expect, it } from 'vitest';
import { compileDocument, compileFault } from '../../src/codec/index.ts';
import { Fault } from '../../src/model/fault.ts';
import { compound, document, FAILURE, field, list, messageOf } from './support.ts';

const options = { namespace: 'urn:test' };
const words = { message: 'REGION is longer than 1 character.', detail: '', code: 'BAD_PARAMETER', status: 400 };

describe('fault documents', () => {
  it('fills the words of a fault into defaults, at any depth', () => {
    const failure = compileFault(FAILURE, options);
    expect(failure.toJson(words)).toBe(
      '{"status":"failure","error":{"message":"REGION is longer than 1 character.","detail":""}}',
    );
    expect(failure.toXml({ ...words, message: 'a < b', detail: 'd' })).toBe(
      '<FAILURE><status>failure</status><error><message>a &lt; b</message><detail>d</detail></error></FAILURE>',
    );
  });

  it('takes a fault as it is', () => {
    const fault = Fault.of('MISSING_PARAMETER', { name: 'region' });
    const LOC_FAULT = document('LOC_FAULT', [field('MESSAGE', 'text', { default: '{fault.message}' })]);
    expect(compileFault(LOC_FAULT, options).toJson(fault)).toBe('{"MESSAGE":"region is missing."}');
  });

  it('fills words of any type into texts of any form', () => {
    const d = document(
      'F',
      [
        field('CODE', 'string', { default: '{fault.code}/{fault.status} {other} {fault.none}' }),
        field('STATUS', 'integer', { default: '{fault.status}' }),
        field('WRONG', 'integer', { default: '{fault.message}' }),
        field('PLAIN', 'integer', { default: 7 }),
      ],
      { root: true },
    );
    expect(compileFault(d, options).toJson(words)).toBe(
      '{"F":{"CODE":"BAD_PARAMETER/400 {other} {fault.none}","STATUS":400,"PLAIN":7}}',
    );
  });

  it('writes a fault whatever its words are', () => {
    const d = document('F', [
      field('SHORT', 'string(3)', { default: '{fault.message}' }),
      field('TEXT', 'text', { default: '{fault.message}' }),
      field('DETAIL', 'text', { default: '{fault.detail}', minimum: 1 }),
      field('LIST', list(document('ENTRY', [field('A', 'text', { default: '{fault.message}' })]))),
    ]);
    const fault = compileFault(d, options);
    expect(fault.toJson({ ...words, message: '😀😀😀😀\ud800\0{fault.code}' })).toBe(
      '{"SHORT":"😀😀😀","TEXT":"😀😀😀😀\u{FFFD}\u{FFFD}{fault.code}"}',
    );
  });

  it('is refused at load where it could never be written', () => {
    const d = document('F', [field('A', compound(document('G', [field('ID', 'integer', { required: true })])))]);
    expect(compileFault(d, options).toJson(words)).toBe('{}');
    const needs = document('F', [field('ID', 'integer', { required: true })]);
    expect(messageOf(() => compileFault(needs, options))).toBe('ID is missing');
  });

  it('ends at a document that holds itself', () => {
    const self: { -readonly [K in keyof typeof FAILURE]: (typeof FAILURE)[K] } = { ...FAILURE };
    self.fields = [field('M', 'text', { default: '{fault.code}' }), field('CAUSE', compound(self))];
    expect(compileFault(self, options).toJson(words)).toBe('{"M":"BAD_PARAMETER"}');
  });

  it('leaves unfilled words out of any other reply', () => {
    expect(compileDocument(FAILURE, options).toJson({ error: {} })).toBe('{"status":"failure","error":{}}');
  });
});
