import { X509Certificate } from 'node:crypto';
import { resolve as pathFrom } from 'node:path';
import { createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls';
import { readText } from '../../../load/read/files.ts';
import type { ConfigText, ResolveReference } from '../../../model/definition.ts';
import type { ClientCertificate, Node } from '../../../model/node.ts';
import { pemCertificates } from '../../../wire/certificate.ts';
import { messageOf } from '../../../wire/error.ts';
import { resolveText, shownText } from '../../configuration.ts';
import { type Called, InvokeError } from '../../error.ts';

/** What a node's files of certificates are looked up with. */
export interface FileSource {
  /** What relative paths are relative to. */
  readonly folder: string;
  readonly resolve: ResolveReference;
  readonly called: Called;
}

/**
 * Whom a node's connections trust and what they show of themselves; undefined where that is as usual.
 * @param shows whether they show the node's certificate
 * @throws InvokeError CONFIGURATION, naming node and file
 */
export function secureContextOf(node: Node, source: FileSource, shows: boolean): SecureContext | undefined {
  const { caFile, certificate } = node;
  const ca = caFile === undefined ? undefined : authorities(node, caFile, source);
  const own = certificate === undefined || !shows ? undefined : identity(node, certificate, source);
  if (ca === undefined && own === undefined) return undefined;
  try {
    return createSecureContext({ ...(ca === undefined ? {} : { ca }), ...own });
  } catch (error) {
    const file = certificate === undefined ? 'ca-file' : shownText(certificate.file, source.resolve);
    const words = messageOf(error);
    throw configurationError(source, node, `the certificate ${file} can't be used with its key: ${words}`, error);
  }
}

/** Undefined where no file is named. */
function authorities(node: Node, text: ConfigText, source: FileSource): string[] | undefined {
  if (resolveText(text, source.resolve) === '') return undefined;
  const file = `ca-file ${shownText(text, source.resolve)}`;
  const found = pemCertificates(content(node, text, file, source));
  if (found.length === 0) throw configurationError(source, node, `${file} holds no certificate in PEM`);
  for (const [index, each] of found.entries()) {
    try {
      new X509Certificate(each);
    } catch (error) {
      throw configurationError(source, node, `certificate ${index + 1} of ${file} is none`, error);
    }
  }
  return found;
}

function identity(
  node: Node,
  { file, keyFile, passphrase }: ClientCertificate,
  source: FileSource,
): SecureContextOptions {
  const cert = content(node, file, `the certificate ${shownText(file, source.resolve)}`, source);
  const key = content(node, keyFile, `the key ${shownText(keyFile, source.resolve)}`, source);
  if (passphrase === undefined) return { cert, key };
  return { cert, key, passphrase: resolveText(passphrase, source.resolve) };
}

function content(node: Node, text: ConfigText, name: string, source: FileSource): string {
  const path = resolveText(text, source.resolve);
  const read = readText(pathFrom(source.folder, path));
  if (read.kind === 'unreadable') throw configurationError(source, node, `${name} can't be read: ${read.reason}`);
  return read.text;
}

function configurationError({ called }: FileSource, node: Node, reason: string, cause?: unknown): InvokeError {
  const hint = `It stands at node ${node.id}; a path is relative to the folder of the project.`;
  return new InvokeError('CONFIGURATION', called, `node ${node.id}: ${reason}`, { hint, cause });
}
