import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assembleMessage, type OutgoingMessage } from '../../src/binding/soap/assemble.ts';
import { type OpenedMessage, openMessage } from '../../src/binding/soap/message.ts';
import { compileSoap, type SoapBinding } from '../../src/binding/soap/soap.ts';
import { isAttachment, MemoryAttachment } from '../../src/codec/binary.ts';
import { compileDocument } from '../../src/codec/index.ts';
import type { Spool } from '../../src/model/blob.ts';
import { everyField } from '../../src/model/derivation.ts';
import { Fault } from '../../src/model/fault.ts';
import { singleType } from '../../src/model/field.ts';
import type { SoapForm } from '../../src/model/service.ts';
import type { Attachment, DocumentValue, Value } from '../../src/model/value.ts';
import { readEnvelope } from '../../src/wire/soap/message.ts';
import type { SoapVersion } from '../../src/wire/soap/version.ts';
import { readXml } from '../../src/wire/xml/read-xml.ts';
import { xmlCases } from '../codec/arbitraries.ts';
import { registry } from '../support/registry.ts';

const NS = 'urn:test:Orders.v1';
const LIMITS = { envelope: 1024 * 1024, attachment: 1000, attachments: 40 };

/** A spool that counts what is not given back. */
class CountingSpool implements Spool {
  kept = 0;
  open = 0;

  async keep(content: AsyncIterable<Uint8Array>): ReturnType<Spool['keep']> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of content) chunks.push(Buffer.from(chunk));
    this.kept++;
    this.open++;
    const stream = async function* () {
      yield* chunks;
    };
    return { length: Buffer.concat(chunks).length, stream, dispose: () => void this.open-- };
  }
}

async function bytesOf(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

const textOf = async (attachment: Attachment): Promise<string> => (await bytesOf(attachment.stream())).toString();

function attachment(content: string | Uint8Array, more: Partial<Attachment> = {}): Attachment {
  const bytes = Buffer.from(content);
  const stream = async function* () {
    for (let at = 0; at < bytes.length; at += 5) yield bytes.subarray(at, at + 5);
  };
  return { contentType: 'text/x-test', stream, ...more };
}

/** Opens what was assembled, in pieces of some length. */
async function reopened(
  message: Pick<OutgoingMessage, 'headers' | 'bytes'>,
  spool: Spool = new CountingSpool(),
  size = 1000,
): Promise<OpenedMessage> {
  const all = await bytesOf(message.bytes());
  const bytes = async function* () {
    for (let at = 0; at < all.length; at += size) yield all.subarray(at, at + size);
  };
  return openMessage({ contentType: message.headers['Content-Type'], bytes: bytes() }, LIMITS, spool);
}

/** A value with what its attachments hold in their place. */
async function contents(value: Value): Promise<unknown> {
  if (isAttachment(value)) return { base64: (await bytesOf(value.stream())).toString('base64') };
  if (Array.isArray(value)) {
    const entries: unknown[] = [];
    for (const each of value) entries.push(await contents(each));
    return entries;
  }
  if (typeof value !== 'object' || value === null) return value;
  const members: [string, unknown][] = [];
  for (const [name, member] of Object.entries(value)) members.push([name, await contents(member as Value)]);
  return Object.fromEntries(members);
}

/** The value with streams in place of content in memory, some of which know their length; attributes hold no stream. */
function streaming(value: Value, of: readonly { name: string; attribute: boolean }[] = [], known = true): Value {
  if (value instanceof MemoryAttachment) return attachment(value.bytes, known ? { length: value.length } : {});
  if (Array.isArray(value)) return value.map((each) => streaming(each, [], known));
  if (typeof value !== 'object' || value === null) return value;
  const attributes = new Set(of.filter((each) => each.attribute).map(({ name }) => name));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      attributes.has(name) ? member : streaming(member as Value, [], known),
    ]),
  );
}

function bindingOf(of: Parameters<typeof compileDocument>[0]): SoapBinding {
  const { operations } = registry({
    'Orders.v1': { operations: { ORDER: { request: of, response: of, soap: true } } },
  });
  const operation = operations.get('ORDER')!;
  return compileSoap({ ...operation, soap: operation.soap as SoapForm }, 'urn:test');
}

const versions = fc.constantFrom<SoapVersion>('1.1', '1.2');

/** Documents without binary attributes inside of others: those are in memory whatever travels. */
const flatCases = xmlCases.filter(({ of }) => everyField(of).every(({ type }) => singleType(type).kind !== 'document'));

describe('a message is opened as it was assembled', () => {
  it.each(['request', 'reply'] as const)('a %s, in both versions, inline and MTOM', async (way) => {
    const parameters = [flatCases, versions, fc.boolean(), fc.boolean(), fc.integer({ min: 1, max: 300 })] as const;
    await fc.assert(
      fc.asyncProperty(...parameters, async ({ of, value }, version, mtom, known, size) => {
        const codec = compileDocument(of, { namespace: NS });
        const expected = codec.fromXml(readXml(codec.toXml(value)));
        const binding = bindingOf(of);
        const ready = streaming(value, everyField(of), known) as DocumentValue;
        const pieces = way === 'request' ? binding.writeRequest(ready) : binding.writeReply(ready);
        const message = assembleMessage(version, pieces, { mtom });
        const total = (await bytesOf(message.bytes())).length;
        expect([undefined, total]).toContain(message.length);
        if (known) expect(message.length).toBe(total);
        const spool = new CountingSpool();
        const opened = await reopened(message, spool, size);
        const envelope = readEnvelope(opened.root);
        expect([envelope.version, opened.mtom]).toEqual([version, mtom]);
        await opened.include();
        const read = way === 'request' ? binding.readRequest : binding.readReply;
        expect(await contents(read(envelope.payload!, opened.resolve))).toEqual(await contents(expected));
        await opened.finish();
        opened.close();
        expect(spool.open).toBe(0);
      }),
      { numRuns: 80 },
    );
  });

  it('says what it asks for in the way of its version', () => {
    const headers = (version: SoapVersion, mtom: boolean) =>
      assembleMessage(version, ['<a/>'], { mtom, action: 'A.v1' }).headers;
    expect(headers('1.1', false)).toEqual({ 'Content-Type': 'text/xml; charset=utf-8', SOAPAction: '"A.v1"' });
    expect(headers('1.2', false)).toEqual({ 'Content-Type': 'application/soap+xml; charset=utf-8; action="A.v1"' });
    expect(headers('1.1', true)).toMatchObject({ SOAPAction: '"A.v1"' });
    expect(headers('1.2', true)['Content-Type']).toMatch(/^multipart\/related; .*; action="A\.v1"$/);
  });

  it('keeps the names and types of attachments', async () => {
    const names = fc
      .string({ unit: 'binary', minLength: 1, maxLength: 20 })
      .filter((name) => name.isWellFormed() && !name.includes('\0'));
    await fc.assert(
      fc.asyncProperty(names, async (name) => {
        const opened = await reopened(
          assembleMessage('1.1', ['<a/>'], { mtom: true, segments: [attachment('x', { name })] }),
        );
        const [found] = await Array.fromAsync(opened.segments());
        // What is no file name, and paths, arrive as the raw name alone.
        expect([found!.rawName ?? found!.name, found!.contentType]).toEqual([name, 'text/x-test']);
      }),
      { numRuns: 100 },
    );
  });

  it('holds segments whether it is MTOM or not, in base64 if need be', async () => {
    for (const mtom of [true, false])
      for (const transfer of ['binary', 'base64'] as const) {
        const message = assembleMessage('1.1', ['<a/>'], {
          mtom,
          transfer,
          segments: [attachment('one'), attachment('two')],
        });
        const opened = await reopened(message);
        const seen: string[] = [];
        for await (const each of opened.segments()) seen.push(await textOf(each));
        expect(seen).toEqual(['one', 'two']);
      }
  });

  it('an attachment that does not hold what it says fails', async () => {
    const pieces = ['<a>', attachment('four', { length: 5 }), '</a>'];
    await expect(bytesOf(assembleMessage('1.1', pieces, { mtom: false }).bytes())).rejects.toThrow(RangeError);
    await expect(bytesOf(assembleMessage('1.1', pieces, { mtom: true }).bytes())).rejects.toThrow(RangeError);
  });
});

/** A package that includes its parts in the order of `wanted`, and sends them in the order of `sent`. */
function message(wanted: readonly string[], sent: readonly string[]): Pick<OutgoingMessage, 'headers' | 'bytes'> {
  const includes = wanted.map((id) => `<i:Include xmlns:i="http://www.w3.org/2004/08/xop/include" href="cid:${id}"/>`);
  const parts = sent.map((id) =>
    id === 'root'
      ? `Content-ID: <root>\r\n\r\n<e>${includes.join('')}</e>`
      : `Content-ID: <${id}>\r\n\r\ncontent ${id}`,
  );
  const text = `${parts.map((each) => `--b\r\n${each}\r\n`).join('')}--b--`;
  const bytes = async function* () {
    yield Buffer.from(text);
  };
  return { headers: { 'Content-Type': 'multipart/related; boundary=b; start="<root>"' }, bytes };
}

const faultOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'none',
    (error: unknown) => (error instanceof Fault ? `${error.code}: ${error.message}` : String(error)),
  );

describe('attachments', () => {
  it('are kept only where they come before they are wanted', async () => {
    const kept = async (wanted: string[], sent: string[]): Promise<number> => {
      const spool = new CountingSpool();
      const opened = await reopened(message(wanted, sent), spool);
      await opened.include();
      for (const id of wanted) expect(await textOf(opened.resolve!(`cid:${id}`))).toBe(`content ${id}`);
      await opened.finish();
      opened.close();
      expect(spool.open).toBe(0);
      return spool.kept;
    };
    expect(await kept(['a'], ['root', 'a'])).toBe(0);
    expect(await kept(['a', 'b'], ['root', 'a', 'b'])).toBe(1);
    expect(await kept(['b', 'a'], ['root', 'a', 'b'])).toBe(1);
    expect(await kept(['a'], ['a', 'root'])).toBe(1);
    expect(await kept(['a'], ['root', 'x', 'a', 'y'])).toBe(2);
  });

  it('that nobody resolves are segments, and what a field holds makes way for them', async () => {
    const opened = await reopened(message(['b', 'c'], ['a', 'root', 'b', 'c', 'd', 'e']));
    await opened.include();
    const live = opened.resolve!('cid:c');
    const seen: string[] = [];
    for await (const each of opened.segments()) seen.push(await textOf(each));
    expect(seen).toEqual(['content a', 'content b', 'content d', 'content e']);
    expect(await textOf(live)).toBe('content c');
    await opened.finish();
  });

  it('that are on the connection are left to whoever has them', async () => {
    const opened = await reopened(message([], ['root', 'a', 'b']));
    let first: Attachment | undefined;
    for await (const each of opened.segments()) {
      first = each;
      break;
    }
    await opened.finish();
    expect(await textOf(first!)).toBe('content a');
    await expect(textOf(first!)).rejects.toThrow('can be read once');
  });

  it('end only where the message around them is whole', async () => {
    const opened = await reopened(message(['a'], ['root', 'a', 'b', 'b']));
    await opened.include();
    expect(await faultOf(textOf(opened.resolve!('cid:a')))).toContain('two of its parts have the Content-ID "b"');
    const cut = message(['a'], ['root', 'a']);
    const broken = {
      ...cut,
      bytes: async function* () {
        yield (await bytesOf(cut.bytes())).subarray(0, -4);
      },
    };
    const other = await reopened(broken);
    await other.include();
    expect(await faultOf(textOf(other.resolve!('cid:a')))).toContain('BAD_BODY: Invalid request body');
  });

  it('that nobody asks for are looked at all the same', async () => {
    const opened = await reopened(message([], ['root', 'a', 'a']));
    await opened.include();
    expect(await faultOf(Promise.resolve(opened.finish()))).toContain('two of its parts');
    const large = message([], ['root', `a>\r\n\r\n${'x'.repeat(LIMITS.attachment)}<`]);
    const second = await reopened(large);
    expect(await faultOf(Promise.resolve(second.finish()))).toContain('ATTACHMENT_TOO_LARGE');
  });

  it('are as many as they may be, and no more', async () => {
    const ids = Array.from({ length: LIMITS.attachments }, (_, index) => `p${index}`);
    const finished = async (sent: string[]): Promise<string> =>
      faultOf(reopened(message([], sent)).then((each) => each.finish()));
    expect(await finished(['root', ...ids])).toBe('none');
    expect(await finished([...ids, 'root'])).toBe('none');
    const many = `TOO_MANY_ATTACHMENTS: The message has more than ${LIMITS.attachments} attachments (\`limits.attachments\`).`;
    expect(await finished(['root', ...ids, 'x'])).toBe(many);
    expect(await finished([...ids, 'x', 'root'])).toBe(many);
  });

  it('are given back where a message is refused', async () => {
    const spool = new CountingSpool();
    expect(await faultOf(reopened(message([], ['a', 'b']), spool))).toContain('no part with the Content-ID');
    expect([spool.kept, spool.open]).toEqual([2, 0]);
  });
});

const corpus = fileURLToPath(new URL('../../../shared/corpus/mtom', import.meta.url));

it.skipIf(!existsSync(corpus))('messages of others are opened as they are (needs ../shared/corpus)', async () => {
  const opened = async (file: string, contentType: string): Promise<[string, string[]]> => {
    const bytes = async function* () {
      yield readFileSync(`${corpus}/${file}`);
    };
    const limits = { ...LIMITS, attachment: 64 * 1024 };
    const found = await openMessage({ contentType, bytes: bytes() }, limits, new CountingSpool());
    await found.include();
    const { local, namespace } = readEnvelope(found.root).payload!;
    const parts: string[] = [];
    for await (const each of found.segments())
      parts.push(`${each.contentType} ${(await bytesOf(each.stream())).length}`);
    return [`{${namespace}}${local}`, parts];
  };
  const cxf = 'multipart/related; type="text/xml"; start="<echo.xml>"; boundary="----=_Part_4_701508.1145579811786"';
  expect(await opened('cxf-mimedata.bin', cxf)).toEqual(['{urn:Echo}echo', ['image/jpeg 27364']]);
  const spring =
    'multipart/related; type="application/xop+xml"; boundary=MIMEBoundaryurn_uuid_492264AB42E57108E01176731445507';
  expect(await opened('spring-ws-soap11-mtom.bin', spring)).toEqual([
    '{http://springframework.org/spring-ws/mtom}image',
    ['image/png 24355'],
  ]);
});
