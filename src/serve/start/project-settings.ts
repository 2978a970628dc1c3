import { CodecError, compileText } from '../../codec/index.ts';
import { standInAddress } from '../../invoke/stand-in.ts';
import { ConfigError, type Environment, missingIn, resolveAll, secretChanges } from '../../load/value/config.ts';
import type { ConfigUse } from '../../load/value/config-text.ts';
import type { Setting } from '../../model/gateway.ts';
import type { Settings, SettingValue } from '../../model/handler.ts';
import type { Registry } from '../../model/registry.ts';
import { GatewayError } from '../gateway-error.ts';

/**
 * `context.settings`: each setting is read when code asks for it, so that a secret in a file may change while the gateway runs. One
 * that is not set throws there, with its name; secrets are not enumerable, so that no copy and no dump contains them.
 * @throws GatewayError for values that do not fit their types
 */
export function openSettings(settings: readonly Setting[], env: Environment): Settings {
  const opened = {};
  const wrong: string[] = [];
  for (const setting of settings) {
    const { name, isSecret } = setting;
    const read = compileSetting(setting, env);
    Object.defineProperty(opened, name, { enumerable: !isSecret, get: read });
    try {
      read();
    } catch (error) {
      if (!(error instanceof SettingMissing)) wrong.push((error as Error).message);
    }
  }
  if (wrong.length > 0)
    throw new GatewayError(wrong.join('\n'), {
      hint: 'settings: of gateway.yaml has the type of each, and signalbox env where its value is from.',
    });
  return Object.freeze(opened);
}

/** Code has asked for a setting without a value. */
class SettingMissing extends Error {
  override readonly name = 'SettingMissing';
}

/** The reading of a setting, whose value is kept until a file with a secret changes. */
function compileSetting({ name, field, value }: Setting, env: Environment): () => SettingValue {
  const fromText = compileText(field);
  let known: { readonly value: SettingValue; readonly changes: number } | undefined;
  return () => {
    const changes = secretChanges(env);
    if (known?.changes === changes) return known.value;
    const text = textOf(name, () => resolveAll([value], env)[0] ?? '');
    try {
      // Without a value it has none, if its default is empty.
      known = { value: text === '' ? undefined : (fromText(text) as SettingValue), changes };
    } catch (error) {
      if (!(error instanceof CodecError)) throw error;
      throw new Error(`the setting ${name} (${value.source}) ${error.reason}`, { cause: error });
    }
    return known.value;
  };
}

/** @throws SettingMissing */
function textOf(name: string, resolve: () => string): string {
  try {
    return resolve();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new SettingMissing(`the setting ${name} has no value: ${error.message}`);
  }
}

/** Configuration that the definitions refer to, and that is not set. */
interface Missing {
  readonly name: string;
  /** A sentence with its name and all places. */
  readonly text: string;
}

/**
 * What the definitions refer to and the environment lacks. A node in whose place a stand-in is called needs nothing, and neither do
 * the operations of services that call such nodes only.
 */
export function missingSettings(registry: Registry, uses: readonly ConfigUse[], env: Environment): Missing[] {
  const isCalled = ({ id }: { readonly id: string }): boolean => standInAddress({ id }, env) === undefined;
  const callers = [...registry.consumers.values()];
  const isNeeded = ({ kind, id }: ConfigUse): boolean => {
    if (kind === 'node') return isCalled({ id });
    const own = kind === 'service' ? callers.filter(({ service }) => service.id === id) : [];
    return own.length === 0 || own.some(({ target }) => isCalled(target));
  };
  const byName = Map.groupBy(uses.filter(isNeeded), ({ reference }) => reference.name);
  return [...byName].flatMap(([name, found]) => {
    const reason = missingIn(
      found.map(({ reference }) => reference),
      env,
    );
    const places = new Set(found.map(({ by, at }) => `${by} (${at.file}:${at.line})`));
    return reason === undefined ? [] : { name, text: `${reason}; needed by ${[...places].join(', ')}` };
  });
}
