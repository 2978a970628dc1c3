import { singleType } from '../model/field.ts';
import type { Setting } from '../model/gateway.ts';
import { primitiveOf } from '../model/scalar.ts';
import type { Report } from './diagnostic/diagnostic.ts';
import { linkField } from './document/field.ts';
import { type DocumentSource, parseTypeWord } from './document/field-type.ts';
import type { Linking } from './linking.ts';
import { given } from './object.ts';
import type { FieldDeclared } from './schema/document.ts';
import type { GatewayDeclared } from './schema/gateway.ts';
import { defaultsOf } from './schema/json-schema.ts';
import { type SettingDeclared, type SettingsDeclared, setting } from './schema/setting.ts';
import { literalOf, parseConfigText } from './value/config-text.ts';

const DEFAULTS = defaultsOf(setting);

/** The settings of a gateway. One whose type or default is not valid has been reported, and is left out. */
export function linkSettings(linking: Linking, { settings = {} }: GatewayDeclared): Setting[] {
  return Object.keys(settings).flatMap((name) => linkSetting(linking, settings, name) ?? []);
}

function linkSetting(linking: Linking, settings: SettingsDeclared, name: string): Setting | undefined {
  const { report, places, declared, types } = linking;
  const said = settings[name] as string | SettingDeclared;
  const isShort = typeof said === 'string';
  const [holder, key] = isShort ? [settings, name] : [said, 'value'];
  const { value: written, type, ...options } = { type: DEFAULTS.type, ...(isShort ? { value: said } : said) };
  const source = typeof written === 'string' ? written : (places.written(holder, key) ?? String(written));
  const value = parseConfigText(source).text;
  const literal = literalOf(value);
  const refuse = (): undefined => {
    report.raise('not-a-value', { name, what: 'setting' }, places.key(settings, name));
    return undefined;
  };
  const word = parseTypeWord(type);
  if (word.kind === 'document' && !types.has(word.id) && declared.of('document').has(word.id)) return refuse();
  // A value that is known is checked as the default of a field is.
  const known = literal === undefined ? { required: true } : given({ default: asWritten(literal, word) });
  const field: FieldDeclared = { ...options, type, ...known };
  const container = { [name]: field };
  places.alias(field, holder);
  places.alias(container, settings);
  const raise: Report['raise'] = (code, parameters, at) =>
    code === 'value-does-not-fit' && (parameters as { option: string }).option === 'default'
      ? report.raise(code, { ...parameters, option: 'value' }, places.value(holder, key))
      : report.raise(code, parameters, at);
  const linked = linkField(withoutDocuments({ ...linking, report: { ...report, raise } }), container, name, {
    id: name,
    name,
  });
  if (linked === undefined) return undefined;
  if (linked.type !== singleType(linked.type) || primitiveOf(linked.type) === 'binary') return refuse();
  return { name, field: linked, value, isSecret: value.parts.some(({ kind }) => kind === 'secret'), at: linked.at };
}

/**
 * The default in a reference as YAML would have read it without quotes, in the spellings that the environment may have at a start;
 * `undefined` for an empty one, which is no value.
 */
function asWritten(text: string, word: ReturnType<typeof parseTypeWord>): string | number | boolean | undefined {
  if (text === '') return undefined;
  const primitive = word.kind === 'scalar' ? primitiveOf(word.type) : undefined;
  if (primitive === 'boolean') return BOOLEANS[text.toLowerCase()] ?? text;
  if (primitive === 'integer' && /^[+-]?0*\d{1,15}$/.test(text)) return Number(text);
  if (text === 'true' || text === 'false') return text === 'true';
  return String(Number(text)) === text ? Number(text) : text;
}

const BOOLEANS: Readonly<Record<string, boolean>> = { true: true, 1: true, false: false, 0: false };

function withoutDocuments(linking: Linking): DocumentSource {
  return {
    linking,
    find: () => undefined,
    inPlace: () => {
      throw new TypeError('a setting has no fields');
    },
  };
}
