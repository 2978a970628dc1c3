import { CodecError, compileCheck, compileText } from '../codec/index.ts';
import { redactionOf } from '../codec/redact/redact-value.ts';
import { compileSecrets } from '../codec/redact/secrets.ts';
import { Fault } from '../model/fault.ts';
import type { Redaction } from '../model/mask.ts';
import type { DocumentValue, Value } from '../model/value.ts';
import type { Program } from './program.ts';

/** One parameter of a request, as it comes. */
export interface GivenParameter {
  readonly Name?: string;
  readonly Value?: string;
}

/** Texts by the names of parameters. */
export type ParameterTexts = Readonly<Record<string, string>>;

/**
 * The texts of a request's parameters, held against those that the program has.
 * @throws Fault BAD_PARAMETER naming the parameter
 */
export function parameterTexts(program: Program, given: readonly GivenParameter[]): ParameterTexts {
  const known = program.parameters.map(({ name }) => name);
  const texts = new Map<string, string>();
  for (const { Name: name = '', Value: text = '' } of given) {
    const refuse = (reason: string): Fault => Fault.of('BAD_PARAMETER', { name: 'parameters', reason });
    const shown = JSON.stringify(name.length > 60 ? `${name.slice(0, 60)}...` : name);
    if (!known.includes(name)) {
      throw refuse(`names ${shown}, which ${program.id} does not have; it has: ${known.join(', ') || 'none'}`);
    }
    if (texts.has(name)) throw refuse(`names ${shown} twice`);
    texts.set(name, text);
  }
  const found = Object.fromEntries(texts);
  parameterValues(program, found);
  return found;
}

/**
 * The values of parameters: typed, with defaults for what is not given. An empty text is not given.
 * @throws Fault BAD_PARAMETER naming the parameter
 */
export function parameterValues({ parameters }: Program, texts: ParameterTexts): DocumentValue {
  try {
    const values: Record<string, Value> = {};
    for (const field of parameters) {
      const text = Object.hasOwn(texts, field.name) ? texts[field.name] : undefined;
      if (text !== undefined && text !== '') values[field.name] = compileText(field)(text);
    }
    return compileCheck(parameters)(values);
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
    throw Fault.of('BAD_PARAMETER', { name: `Parameter ${error.path}`, reason: error.reason });
  }
}

/** What keeps sensitive parameters, as they came and as code has them, out of what is said; undefined where none is sensitive. */
export function parameterRedaction(
  { parameters }: Pick<Program, 'parameters'>,
  texts: ParameterTexts,
  values: DocumentValue,
): Redaction | undefined {
  const read = compileSecrets(parameters);
  return read && redactionOf(() => [...read(texts), ...read(values)]);
}
