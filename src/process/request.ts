import { CodecError, compileCheck, compileText } from '../codec/index.ts';
import { compileSecrets } from '../codec/redact/declared.ts';
import { Fault } from '../model/fault.ts';
import type { Redactor } from '../model/redactor.ts';
import type { DocumentValue, Value } from '../model/value.ts';
import { quote } from '../wire/words.ts';
import type { Program } from './program.ts';

/** A parameter as a request contains it. */
export interface GivenParameter {
  readonly Name?: string;
  readonly Value?: string;
}

/** Texts by parameter name. */
export type ParameterTexts = Readonly<Record<string, string>>;

/**
 * The texts of a request's parameters, checked against those of the program.
 * @throws Fault BAD_PARAMETER naming the parameter
 */
export function parameterTexts(program: Program, given: readonly GivenParameter[]): ParameterTexts {
  const known = program.parameters.map(({ name }) => name);
  const texts = new Map<string, string>();
  for (const { Name: name = '', Value: text = '' } of given) {
    const refuse = (reason: string): Fault => Fault.of('BAD_PARAMETER', { name: 'parameters', reason });
    const shown = quote(name);
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

/** Why a program does not accept the texts of parameters; `undefined` when it does. It repeats no value. */
export function parameterProblem(program: Program, texts: ParameterTexts): string | undefined {
  const strange = Object.keys(texts).find((name) => !program.parameters.some((field) => field.name === name));
  if (strange !== undefined) return `there is no ${quote(strange)}`;
  try {
    readValues(program, texts);
    return undefined;
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
    return `${error.path} does not accept what was given`;
  }
}

/**
 * The typed values of parameters, with defaults. An empty text counts as absent.
 * @throws Fault BAD_PARAMETER naming the parameter
 */
export function parameterValues(program: Program, texts: ParameterTexts): DocumentValue {
  try {
    return readValues(program, texts);
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
    throw Fault.of('BAD_PARAMETER', { name: `Parameter ${error.path}`, reason: error.reason });
  }
}

/** @throws CodecError */
function readValues({ parameters }: Program, texts: ParameterTexts): DocumentValue {
  const values: Record<string, Value> = {};
  for (const field of parameters) {
    const text = Object.hasOwn(texts, field.name) ? texts[field.name] : undefined;
    if (text !== undefined && text !== '') values[field.name] = compileText(field)(text);
  }
  return compileCheck(parameters)(values);
}

/** A redactor that knows sensitive parameters too, as they came and as code has them. */
export function parameterRedactor(
  redactor: Redactor,
  { parameters }: Pick<Program, 'parameters'>,
  texts: ParameterTexts,
  values: DocumentValue,
): Redactor {
  const read = compileSecrets(parameters);
  // Read now: code may change its values.
  const secrets = read === undefined ? [] : [...read(texts), ...read(values)];
  return redactor.knowing({ secrets: () => secrets });
}
