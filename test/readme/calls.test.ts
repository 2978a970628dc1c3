import { execFile, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { bin, cleanEnvironment, finish, repository } from '../cli/support.ts';
import { AUTHORITY } from '../peers/certificates.ts';
import { startDocumentLibrary } from '../peers/document-library.ts';
import { environmentOf, LOGIN_HOST, libraryHost } from '../peers/library-facts.ts';
import { copySample } from '../support/sample.ts';
import { block } from './readme-text.ts';

const section = 'Call other systems';

test('its YAML is that of the sample', () => {
  const service = readFileSync(join(repository, 'definitions/doclib/service.yaml'), 'utf8');
  const lines = service.split('\n').filter((line) => !line.trim().startsWith('description:'));
  expect(lines.join('\n')).toContain(block(section, 'yaml').trimEnd());
});

test('its commands show the three requests, word for word, and no secret', async () => {
  const script = block(section, 'sh').replaceAll('npx signalbox', `'${process.execPath}' '${bin}'`);
  const { stdout } = await promisify(execFile)('sh', ['-e', '-c', script], {
    cwd: repository,
    env: cleanEnvironment(),
  });
  expect(stdout.match(/^POST https:\S+$/gm)).toHaveLength(3);
  expect(stdout).toContain('Content-Type: text/markdown');
  expect(stdout).not.toContain('client_secret=secret');
});

test('its program uploads a file to a library', async () => {
  const library = await startDocumentLibrary();
  onTestFinished(() => library.close());
  const sample = copySample();
  onTestFinished(sample.remove);
  const { facts, login, documents } = library;
  const nodes = join(sample.root, 'definitions/nodes.yaml');
  const resolve = (host: string, address: string): string => `resolve: { ${host}: "${address}" }\n`;
  const placed = readFileSync(nodes, 'utf8')
    .replace('base: ${env:DOCLIB_AUTH_URL}\n', (base) => base + resolve(LOGIN_HOST, login.address))
    .replace('base: https://\n', (base) => base + resolve(libraryHost(facts), documents.address));
  writeFileSync(nodes, placed);
  writeFileSync(join(sample.root, 'authority.pem'), AUTHORITY);
  writeFileSync(join(sample.root, 'README.md'), '# A file\n');
  writeFileSync(join(sample.root, 'upload.ts'), block(section, 'ts'));
  const env = cleanEnvironment({
    ...environmentOf(facts),
    DOCLIB_CA_FILE: 'authority.pem',
  });
  const ran = await finish(spawn(process.execPath, ['upload.ts'], { cwd: sample.root, env }));
  expect(ran).toEqual({
    code: 0,
    signal: null,
    stdout: '/sites/HR/Shared Documents/2026/README.md\n',
    stderr: '',
  });
  expect(library.files).toMatchObject([{ length: '# A file\n'.length, contentType: 'text/markdown' }]);
});
