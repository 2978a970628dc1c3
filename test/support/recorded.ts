import { join } from 'node:path';
import Database from 'better-sqlite3';
import { unpack } from '../../src/messaging/run/payload.ts';
import type { TestGateway } from './gateway.ts';

/** A recorded call as the database of a test has it. */
export interface RecordedRow {
  readonly operation: string;
  readonly node: string | null;
  readonly status: string;
  readonly code: number | null;
  readonly reason: string | null;
  readonly request_id: string;
  /** Its parts as they are stored, by name. */
  readonly parts: Readonly<Record<string, unknown>>;
}

/** All that the message store has recorded of calls, once the gateway has ended, which is the last that is done with it. */
export async function recordedBy(test: TestGateway): Promise<readonly RecordedRow[]> {
  await test.gateway.close();
  return recordedIn(test);
}

/** The calls that the message store has recorded by now. */
export function recordedIn({ folder }: Pick<TestGateway, 'folder'>): readonly RecordedRow[] {
  const db = new Database(join(folder, 'test.db'), { readonly: true });
  try {
    const content = db.prepare<[string], { part: string; encoding: string; content: Buffer; size: number }>(
      'select part, encoding, content, size from signalbox_message_content where message = ?',
    );
    const rows = db.prepare<[], Omit<RecordedRow, 'parts'> & { id: string }>(
      'select * from signalbox_message where queue is null order by id',
    );
    return rows.all().map((row) => {
      const parts = content.all(row.id).map(({ part, encoding, content: bytes, size }): [string, unknown] => {
        return [part, JSON.parse(unpack(encoding, bytes, size).toString())];
      });
      return { ...row, parts: Object.fromEntries(parts) };
    });
  } finally {
    db.close();
  }
}
