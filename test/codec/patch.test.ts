import { describe, expect, it } from 'vitest';
import { compileDocument } from '../../src/codec/index.ts';
import { readXml } from '../../src/wire/xml/read-xml.ts';
import { document, field } from '../support/registry.ts';

const fields = [field('ID', 'integer', { required: true }), field('NAME', 'string(5)'), field('PRICE', 'decimal(8.2)')];
const patch = compileDocument(document('PLACE', fields, { patch: { clearable: fields.slice(1) } }), { namespace: '' });
const whole = compileDocument(document('PLACE', fields), { namespace: '' });
const NIL = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="true"';

describe('a document that is a change of a record', () => {
  it('keeps what is null, and checks the rest', () => {
    expect(patch.fromJson('{"ID":1,"NAME":null,"PRICE":null}')).toEqual({ ID: 1, NAME: null, PRICE: null });
    expect(patch.fromJson('{"ID":1}')).toEqual({ ID: 1 });
    expect(whole.fromJson('{"ID":1,"NAME":null,"PRICE":null}')).toEqual({ ID: 1 });
    expect(() => patch.fromJson('{"ID":1,"NAME":"too long"}')).toThrow('longer than 5 characters');
  });

  it('keeps what is nil', () => {
    const element = readXml(`<PLACE><ID>1</ID><NAME ${NIL}/><PRICE>1.50</PRICE></PLACE>`);
    expect(patch.fromXml(element)).toEqual({ ID: 1, NAME: null, PRICE: '1.50' });
    expect(whole.fromXml(element)).toEqual({ ID: 1, PRICE: '1.50' });
  });
});
