import { compileList, compileText } from '../../codec/index.ts';
import { Fault } from '../../model/fault.ts';
import type { UriVariable } from '../../model/service.ts';
import type { Value } from '../../model/value.ts';
import { PercentError } from '../../wire/percent.ts';
import type { RawValue } from '../../wire/uri-template/match.ts';
import type { TemplateVariable } from '../../wire/uri-template/uri-template.ts';
import { type DecodedValue, decodeRaw, UriValueError } from '../../wire/uri-template/value.ts';
import { guard } from '../complaint.ts';

/** Puts what the URI says of one variable into the request message. */
export type VariableReader = (raw: RawValue, into: Record<string, Value>) => void;

/** One URI variable: percent-decoded after the match, then typed and checked. */
export function compileVariable(variable: UriVariable, template: TemplateVariable): VariableReader {
  const { field, wireName, required } = variable;
  const label = wireName === field.name ? wireName : `${wireName} (${field.name})`;
  if (field.type.kind === 'list') {
    const read = compileList(field);
    return (raw, into) => {
      if (raw !== undefined) into[field.name] = guard(label, read, decode(raw, template, 'list', label) as string[]);
    };
  }
  const read = compileText(field);
  return (raw, into) => {
    if (raw === undefined) return;
    const text = decode(raw, template, 'string', label) as string;
    // Sent empty is the same as not sent: existing clients name every parameter of the template (field notes 1).
    if (text !== '') into[field.name] = guard(label, read, text);
    else if (required) throw Fault.of('BAD_PARAMETER', { name: label, reason: 'is empty' });
  };
}

function decode(raw: RawValue, template: TemplateVariable, shape: 'string' | 'list', label: string): DecodedValue {
  try {
    return decodeRaw(raw, template, shape);
  } catch (error) {
    if (error instanceof PercentError) throw Fault.of('BAD_ENCODING', { name: label, reason: error.message });
    if (error instanceof UriValueError) throw Fault.of('BAD_PARAMETER', { name: label, reason: error.reason });
    throw error;
  }
}
