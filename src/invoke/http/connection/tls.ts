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

/** How a node's certificate files are found. */
export interface FileSource {
  /** The folder that paths are relative to. */
  readonly folder: string;
  readonly resolve: ResolveReference;
  readonly called: Called;
}

/**
 * The trusted authorities and the client certificate of a node's connections; `undefined` when the node declares neither.
 * @param shows whether the client certificate is included
 * @throws InvokeError CONFIGURATION naming node and file
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

/** `undefined` when the reference to the file resolves to an empty text. */
function authorities(node: Node, text: ConfigText, source: FileSource): string[] | undefined {
  if (resolveText(text, source.resolve) === '') return undefined;
  const file = `ca-file ${shownText(text, source.resolve)}`;
  const found = pemCertificates(content(node, text, file, source));
  if (found.length === 0) throw configurationError(source, node, `${file} does not contain a certificate in PEM`);
  for (const [index, each] of found.entries()) {
    try {
      new X509Certificate(each);
    } catch (error) {
      throw configurationError(source, node, `certificate ${index + 1} of ${file} is invalid`, error);
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
  const hint = `Check the definition of node ${node.id}; paths are relative to the project's folder.`;
  return new InvokeError('CONFIGURATION', called, `node ${node.id}: ${reason}`, { hint, cause });
}
