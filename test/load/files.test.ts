import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadProject, renderDiagnostics } from '../../src/load/index.ts';
import { unprivileged } from '../support/unprivileged.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'signalbox-load-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

const found = (options = {}): string[] =>
  loadProject({ root, ...options }).diagnostics.map(({ code, at }) => `${at.file}:${at.line}:${at.column} ${code}`);

describe('a project on the disk', () => {
  it('is one file with a gateway', () => {
    write('definitions/gateway.yaml', 'gateway: LOCAL\n');
    const loaded = loadProject({ root });
    expect(loaded.diagnostics).toEqual([]);
    expect(loaded.files).toEqual(['definitions/gateway.yaml']);
    expect(loaded.sources.get('definitions/gateway.yaml')).toBe('gateway: LOCAL\n');
    expect(loaded.registry?.gateway.id).toBe('LOCAL');
  });

  it('is all .yaml and .yml files below the folder, in the order of names', () => {
    write('definitions/b/two.yml', 'permission-list: TWO\n');
    write('definitions/a.yaml', 'gateway: LOCAL\n');
    write('definitions/b/deep/er/three.yaml', 'permission-list: THREE\n');
    for (const other of ['notes.md', '.hidden.yaml', '.git/x.yaml', 'node_modules/x.yaml', 'sample/1.sql']) {
      write(`definitions/${other}`, 'not: read\n');
    }
    const loaded = loadProject({ root });
    expect(loaded.files).toEqual(['definitions/a.yaml', 'definitions/b/deep/er/three.yaml', 'definitions/b/two.yml']);
    expect(loaded.diagnostics).toEqual([]);
  });

  it('may have its definitions in another folder, inside or outside', () => {
    write('other/defs/gateway.yaml', 'gateway: OTHER\nfoo: 1\n');
    expect(found({ definitions: './other/defs/' })).toEqual(['other/defs/gateway.yaml:2:1 unknown-key']);
    expect(found({ definitions: join(root, 'other/defs') })).toEqual([
      `${join(root, 'other/defs')}/gateway.yaml:2:1 unknown-key`,
    ]);
  });

  it('says where it looked when there is nothing', () => {
    expect(found()).toEqual(['definitions:1:1 no-definitions']);
    expect(found({ definitions: 'defs' })).toEqual(['defs:1:1 no-definitions']);
  });

  it('takes a byte order mark and CRLF', () => {
    write('definitions/gateway.yaml', '\ufeffgateway: LOCAL\r\nfoo: 1\r\n');
    expect(found()).toEqual(['definitions/gateway.yaml:2:1 unknown-key']);
  });
});

describe('files that are no definitions', () => {
  beforeEach(() => write('definitions/gateway.yaml', 'gateway: LOCAL\n'));
  const only = (): string | undefined => {
    const loaded = loadProject({ root });
    expect(loaded.registry).toBeUndefined();
    expect(loaded.diagnostics).toHaveLength(1);
    return renderDiagnostics(loaded, { colour: false }).trim();
  };

  it('are refused where they are not UTF-8', () => {
    write('definitions/x.yaml', Uint8Array.of(0x61, 0x3a, 0x20, 0xff));
    expect(only()).toBe("definitions/x.yaml:1:1: error file-unreadable: The file can't be read: it is not UTF-8 text.");
  });

  it('are refused where they are too large', () => {
    write('definitions/x.yaml', '#'.repeat(16 * 1024 * 1024 + 1));
    expect(only()).toContain('it is larger than 16 MiB');
  });

  it('are refused where a link leads nowhere; a folder of such a name is a folder', () => {
    mkdirSync(join(root, 'definitions/x.yaml'));
    expect(found()).toEqual([]);
    symlinkSync(join(root, 'nowhere'), join(root, 'definitions/y.yaml'));
    expect(only()).toContain('its link leads nowhere');
  });

  it('are refused where they may not be read', async () => {
    write('definitions/x.yaml', 'a: b');
    chmodSync(root, 0o755);
    chmodSync(join(root, 'definitions/x.yaml'), 0);
    expect(await unprivileged(only)).toContain('permission denied');
  });

  it('are refused with the folder that holds them, where that may not be read', async () => {
    write('definitions/below/x.yaml', 'permission-list: HIDDEN\n');
    chmodSync(root, 0o755);
    chmodSync(join(root, 'definitions/below'), 0);
    const shown = await unprivileged(only);
    expect(shown).toBe("definitions/below:1:1: error file-unreadable: The file can't be read: permission denied.");
  });

  it('are refused where a link leads to itself; another such link is nothing', () => {
    symlinkSync('circle', join(root, 'definitions/circle'));
    expect(found()).toEqual([]);
    symlinkSync('x.yaml', join(root, 'definitions/x.yaml'));
    expect(only()).toContain('its links form a circle');
  });

  it('are read in folders of any depth', () => {
    const deep = `definitions${'/d'.repeat(60)}/list.yaml`;
    write(deep, 'permission-list: DEEP\n');
    expect(loadProject({ root }).files).toEqual([deep, 'definitions/gateway.yaml']);
  });

  it('are read through links, and folders that lead in a circle once', () => {
    write('elsewhere/list.yaml', 'permission-list: LINKED\n');
    symlinkSync(join(root, 'elsewhere'), join(root, 'definitions/linked'));
    symlinkSync(join(root, 'definitions'), join(root, 'definitions/circle'));
    const loaded = loadProject({ root });
    expect(loaded.diagnostics).toEqual([]);
    expect(loaded.files).toEqual(['definitions/gateway.yaml', 'definitions/linked/list.yaml']);
  });
});

describe('handlers and the committed registry', () => {
  const service =
    'gateway: LOCAL\n---\nservice: A.v1\npublic: true\noperations:\n  A_GET: { get: A, response: text }\n';

  it('are looked for beside the definitions', () => {
    write('definitions/all.yaml', service);
    expect(found()).toEqual(['definitions/all.yaml:6:3 missing-handler']);
    expect(found({ handlers: 'ignore-missing' })).toEqual([]);
    for (const name of ['a-get.ts', 'shared.ts', 'types.d.ts', 'a-get.test.ts', 'notes.md', 'lib/x.ts'])
      write(`src/handlers/${name}`, '');
    expect(found()).toEqual(['src/handlers/shared.ts:1:1 orphan-handler']);
  });

  it('are in the folder that the gateway names', () => {
    write('definitions/all.yaml', service.replace('LOCAL', 'LOCAL\nhandlers: ./code/'));
    write('code/a-get.ts', '');
    const loaded = loadProject({ root });
    expect(loaded.diagnostics).toEqual([]);
    expect(loaded.registry?.gateway.handlers).toBe('code');
  });

  it('are compared by URI index', () => {
    write('definitions/all.yaml', service);
    write('generated/registry.json', '{ "operations": { "A_GET": { "uris": ["A", "B"], "method": "GET" } } }');
    expect(found({ handlers: 'ignore-missing' })).toEqual(['definitions/all.yaml:6:3 uri-index']);
    const padded = `{ "operations": { "A_GET": { "uris": ["A", "B"] } } }${' '.repeat(4 * 1024 * 1024)}`;
    write('generated/registry.json', padded);
    expect(found({ handlers: 'ignore-missing' })).toEqual(['definitions/all.yaml:6:3 uri-index']);
    write('generated/registry.json', '[]');
    expect(found({ handlers: 'ignore-missing' })).toEqual(['generated/registry.json:1:1 registry-unreadable']);
  });
});
