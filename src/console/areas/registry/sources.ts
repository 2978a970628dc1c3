import type { ConfigText, Position } from '../../../model/definition.ts';
import { Fault } from '../../../model/fault.ts';
import type { NodeCredential } from '../../../model/node.ts';
import { MASK } from '../../../model/redactor.ts';
import type { Registry } from '../../../model/registry.ts';
import { isRequestScheme } from '../../../model/security.ts';
import type { ConsolePorts } from '../../console-port.ts';
import { type Html, html, NOTHING } from '../../html.ts';
import { heading, lines, link, number, pathTo, section, table } from '../../parts.ts';
import { page, type Reply, type Visit } from '../../route.ts';

// The files of the definitions as they were loaded.

const filePath = (file: string): string => pathTo('registry', 'files', file);

/** `definitions/security.yaml:12`, as a link to the line. */
export const placeLink = ({ file, line }: Position): Html =>
  html`<a href="/console${filePath(file)}#L${line}"><code>${file}:${line}</code></a>`;

/** The lines of a file without secrets, and without users unless the reader manages them; `undefined` for an unknown file. */
function linesOf({ ports, may }: Visit, file: string): readonly string[] | undefined {
  const all = maskedLines(ports, file);
  if (all === undefined || may('users')) return all;
  const shown = [...all];
  for (const { at } of ports.registry.users.values()) {
    if (at.file !== file) continue;
    // The whole document: the id of a user may be in its last line, and a comment above may name the user.
    const first = all.findLastIndex((line, index) => index < at.line - 1 && isBetween(line)) + 1;
    const next = all.findIndex((line, index) => index >= at.line && isBetween(line));
    shown.fill('', first, next < 0 ? all.length : next);
    shown[at.line - 1] = '# A user. The grant `users` shows it.';
  }
  return shown;
}

/** Whether a line separates documents. */
const isBetween = (line: string): boolean => /^(?:---|\.\.\.)(?:\s|$)/.test(line);

function maskedLines({ sources, redactor, registry }: ConsolePorts, file: string): readonly string[] | undefined {
  const text = sources.get(file);
  if (text === undefined) return undefined;
  const masked = redactor.knowing({ secrets: () => literalSecrets(registry) }).text(text);
  return aligned(text.split('\n'), masked.split('\n'));
}

/**
 * Masks so that lines keep their numbers. A secret of several lines, such as a private key, is masked as one: everything
 * between the lines that are unchanged from the top and from the end is then masked.
 */
function aligned(before: readonly string[], masked: readonly string[]): readonly string[] {
  if (before.length === masked.length) return masked;
  const top = before.findIndex((line, index) => line !== masked[index]);
  const end = before.toReversed().findIndex((line, index) => line !== masked.at(-1 - index));
  return before.map((line, index) => (index < top || index >= before.length - end ? line : MASK));
}

/** Secrets that are literal in the definitions: hashes of passwords, and credentials without a reference. */
function literalSecrets({ users, nodes, schemes, datasources }: Registry): string[] {
  const texts: (ConfigText | undefined)[] = [
    ...[...users.values()].map(({ sharedSecret }) => sharedSecret),
    ...[...nodes.values()].flatMap(({ credential, certificate }) => [
      ...secretsIn(credential),
      certificate?.passphrase,
    ]),
    ...[...schemes.values()].flatMap((scheme) => (isRequestScheme(scheme) ? scheme.secrets : [])),
    ...[...datasources.values()].map(({ password }) => password),
  ];
  const literals = texts
    .flatMap((text) => text?.parts ?? [])
    .flatMap((part) => (part.kind === 'literal' ? part.text : []));
  const hashes = [...users.values()].flatMap(({ password, apiKeys }) => [password ?? '', ...apiKeys]);
  return [...literals, ...hashes].filter((text) => text.trim().length >= 4);
}

function secretsIn(credential: NodeCredential | undefined): readonly ConfigText[] {
  switch (credential?.kind) {
    case 'basic':
      return [credential.password];
    case 'bearer':
      return [credential.token];
    case 'api-key':
      return [credential.value];
    case 'webhook':
    case 'hmac':
      return credential.secrets;
    case 'client-credentials':
      return [credential.clientSecret];
    case 'ws-security': {
      const { usernameToken, signature } = credential;
      return [usernameToken?.password, signature?.passphrase].filter((each) => each !== undefined);
    }
    case undefined:
      return [];
  }
}

const indentOf = (line: string): number => line.length - line.trimStart().length;

/**
 * The number of the last line of what begins at a line: all lines that are indented further, up to the next document of the
 * file.
 */
function lastLine(all: readonly string[], first: number): number {
  const begin = all[first - 1] ?? '';
  const indent = indentOf(begin);
  let last = first;
  for (let number = first + 1; number <= all.length; number++) {
    const line = all[number - 1] as string;
    if (isBetween(line)) break;
    if (line.trim() === '' || (line.trimStart().startsWith('#') && indentOf(line) <= indent)) continue;
    // A definition at the margin is a whole document; the closing bracket of a value is part of it.
    if (indent > 0 && indentOf(line) <= indent && !/^\s*[\]}]/.test(line)) break;
    last = number;
  }
  return last;
}

/** The lines of a declaration, with a link to the whole file. */
export function definition(visit: Visit, at: Position): Html {
  const all = linesOf(visit, at.file);
  if (all === undefined) return NOTHING;
  const text = all.slice(at.line - 1, lastLine(all, at.line)).join('\n');
  return section(
    'Definition',
    html`<p>${placeLink(at)}, as it was loaded</p>${lines(text, `Definition in ${at.file}`, at.line)}`,
    'definition',
  );
}

/** The list of all files. */
export function listFiles({ ports: { sources } }: Visit): Reply {
  const files = [...sources].map(([file, text]) => ({ file, count: text.split('\n').length }));
  return page(
    'Files',
    html`${heading('Files', { about: 'The definitions as this gateway has loaded them, those of the package included.' })}
${table(
  'Files',
  [
    { title: 'File', cell: ({ file }) => link(filePath(file), file) },
    { title: 'Lines', kind: 'number', cell: ({ count }) => number(count) },
  ],
  files,
  { empty: 'No file was loaded.' },
)}`,
  );
}

/** A whole file. */
export function showFile(visit: Visit): Reply {
  const file = visit.params.file as string;
  const all = linesOf(visit, file);
  if (all === undefined) throw Fault.of('NOT_FOUND', { what: `file ${file}` });
  return page(
    file,
    html`${heading(html`<code>${file}</code>`, { about: html`As it was loaded. ${link('/registry/files', 'All files')}` })}${lines(all.join('\n'), file)}`,
  );
}
