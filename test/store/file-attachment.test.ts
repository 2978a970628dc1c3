import { appendFileSync, mkdtempSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { fileAttachment } from '../../src/store/index.ts';
import { bytesOf, openFiles, tellsOpenFiles } from './content.ts';

const folder = mkdtempSync(join(tmpdir(), 'signalbox-file-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let made = 0;
function file(content: Uint8Array | string, name = `file-${++made}.bin`): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

async function read(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

describe('a file as content', () => {
  it.each([
    ['report 2026.pdf', 'application/pdf'],
    ['sheet.xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
    ['PHOTO.JPG', 'image/jpeg'],
    ['notes', 'application/octet-stream'],
  ])('has the name and the type of %s', async (name, contentType) => {
    expect(await fileAttachment(file('x', name))).toMatchObject({ name, contentType, length: 1, again: true });
  });

  it('has the type that is said', async () => {
    expect(await fileAttachment(file('x', 'a.pdf'), 'text/plain')).toMatchObject({ contentType: 'text/plain' });
  });

  it('is read as often as wanted', async () => {
    const bytes = bytesOf(700_000);
    const content = await fileAttachment(file(bytes));
    expect(content.length).toBe(bytes.length);
    for (let time = 0; time < 2; time++) expect((await read(content.stream())).equals(bytes)).toBe(true);
    expect(await read((await fileAttachment(file(''))).stream())).toHaveLength(0);
  });

  it.each<[string, (path: string) => void]>([
    ['grows', (path) => appendFileSync(path, 'more')],
    ['shrinks', (path) => truncateSync(path, 300_000)],
    ['is written anew', (path) => utimesSync(path, 1, 1)],
  ])('that %s while it is read ends in an error before its last byte', async (_what, change) => {
    const path = file(bytesOf(700_000));
    const content = await fileAttachment(path);
    const stream = content.stream()[Symbol.asyncIterator]();
    let length = (await stream.next()).value.length as number;
    change(path);
    const rest = async (): Promise<void> => {
      for (let next = await stream.next(); next.done !== true; next = await stream.next()) length += next.value.length;
    };
    await expect(rest()).rejects.toThrow(`${path} changed while it was read`);
    expect(length).toBeLessThan(700_000);
  });

  it('that changed before it was read is an error before its first byte', async () => {
    const path = file('before');
    const content = await fileAttachment(path);
    appendFileSync(path, ' and after');
    await expect(read(content.stream())).rejects.toThrow('changed while it was read');
  });

  it('is no folder, and must be there', async () => {
    await expect(fileAttachment(folder)).rejects.toMatchObject({ code: 'EISDIR' });
    await expect(fileAttachment(join(folder, 'none.pdf'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it.runIf(tellsOpenFiles)('is closed where its reader goes away', async () => {
    const path = file(bytesOf(700_000));
    for await (const _ of (await fileAttachment(path)).stream()) break;
    expect(openFiles(path)).toEqual([]);
  });
});
