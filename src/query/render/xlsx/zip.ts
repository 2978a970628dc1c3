/** An archive that is written as it grows (ZIP application note 6.3, sections 4.3 and 4.4.4: sizes follow their files). */

import { constants, crc32, deflateRawSync } from 'node:zlib';
import { Zip, type ZipInputFile } from 'fflate';
import { ResultLimitError } from '../result-limit.ts';

/** Characters that are compressed at once. Each piece is compressed independently, which costs some two per cent of size. */
const PIECE = 262_144;

/** The fastest levels differ little in size on markup, and much in time. */
const LEVEL = 2;

/** Sizes in an archive are 32 bits wide; larger ones need ZIP64, which not every reader of workbooks knows. */
const LARGEST = 0xffff_ffff;

/** The archive's own first day: equal rows make equal bytes. Read in local time, as the format has it. */
const FIRST_DAY = new Date(1980, 0, 1);

/** DEFLATE (RFC 1951) as an archive names it. */
const DEFLATE = 8;

/** What an empty last block looks like: it ends what was compressed in pieces. */
const END = deflateRawSync(Buffer.alloc(0));

/** Makes one archive of texts, file after file; {@link ZipWriter.take} hands its bytes on as they come. */
export class ZipWriter {
  readonly #zip: Zip;
  #done: Uint8Array[] = [];
  #entry: Entry | undefined;
  #text = '';
  #size = 0;

  constructor() {
    this.#zip = new Zip((error, bytes) => {
      if (error !== null) throw error;
      this.#done.push(bytes);
    });
  }

  /** Begins the next file, and ends the one before. */
  file(name: string): void {
    this.#endEntry();
    this.#entry = new Entry(name);
    this.#zip.add(this.#entry);
  }

  /** Adds to the file. @throws ResultLimitError where the archive's sizes have no room for it */
  write(text: string): void {
    this.#text += text;
    if (this.#text.length >= PIECE) this.#compress();
  }

  /** Bytes since the last call. */
  take(): Uint8Array {
    const bytes = this.#done.length === 1 ? (this.#done[0] as Uint8Array) : Buffer.concat(this.#done);
    this.#done = [];
    return bytes;
  }

  /** Ends the archive. */
  end(): void {
    this.#endEntry();
    this.#zip.end();
  }

  #compress(): void {
    if (this.#text === '') return;
    const bytes = Buffer.from(this.#text);
    this.#text = '';
    this.#size += bytes.length;
    if (this.#size > LARGEST) throw new ResultLimitError('is more than the 4 GiB that a workbook can hold');
    this.#entry?.add(bytes);
  }

  #endEntry(): void {
    this.#compress();
    this.#entry?.end();
    this.#entry = undefined;
  }
}

/** One file of the archive: its bytes are compressed here, by the runtime's own zlib, which is measured at eight times fflate's speed. */
class Entry implements ZipInputFile {
  readonly filename: string;
  readonly compression = DEFLATE;
  readonly mtime = FIRST_DAY;
  crc = 0;
  size = 0;
  ondata: NonNullable<ZipInputFile['ondata']> = () => undefined;

  constructor(filename: string) {
    this.filename = filename;
  }

  add(bytes: Buffer): void {
    this.crc = crc32(bytes, this.crc);
    this.size += bytes.length;
    const piece = deflateRawSync(bytes, { level: LEVEL, finishFlush: constants.Z_SYNC_FLUSH });
    this.ondata(null, piece, false);
  }

  end(): void {
    this.ondata(null, END, true);
  }
}
