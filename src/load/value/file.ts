import type { ConfigText } from '../../model/config.ts';
import type { Linking } from '../linking.ts';
import { parseConfigText } from './config-text.ts';

/** The path of a file; the key itself in its place is a secret in clear. */
export function linkFile({ report, places }: Linking, container: object, key: string): ConfigText {
  const { text } = parseConfigText((container as Readonly<Record<string, string>>)[key] ?? '');
  if (text.parts.some((part) => part.kind === 'literal' && part.text.includes('PRIVATE KEY-----'))) {
    const instead = 'Keep it in a file, and write the path of the file in its place.';
    report.raise('secret-in-clear', { what: 'A private key', instead }, places.value(container, key));
  }
  return text;
}
