import type { Db } from '../store/index.ts';

/** A line of a message log. */
export interface LogLine {
  readonly level: 'info' | 'warning' | 'error';
  readonly text: string;
  /** UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
  readonly said: string;
}

/** Characters of a line; what is beyond is cut. */
const LONGEST_LINE = 2000;
/** Lines of one request. The last of them says that others were left out. */
export const MOST_LINES = 10_000;

const LEFT_OUT = 'Further messages are left out.';

/**
 * Adds lines to a request's message log, as part of a transaction.
 * @param run where it is given, only if that attempt has the request
 * @returns whether it was so
 */
export async function addLines(tx: Db, instance: number, lines: readonly LogLine[], run?: string): Promise<boolean> {
  let update = tx
    .updateTable('signalbox_process_request')
    .set(({ eb }) => ({ messages: eb('messages', '+', lines.length) }))
    .where('instance', '=', instance);
  if (run !== undefined) update = update.where('run', '=', run);
  const updated = await update.returning('messages').executeTakeFirst();
  if (updated === undefined) return false;
  const first = updated.messages - lines.length + 1;
  const kept = lines.slice(0, Math.max(0, MOST_LINES - first + 1));
  const rows = kept.map(({ level, text, said }, index) => {
    const sequence = first + index;
    return { instance, sequence, level, said, text: sequence === MOST_LINES ? LEFT_OUT : cut(text) };
  });
  // Engines bound the values of one statement.
  for (let from = 0; from < rows.length; from += 500) {
    await tx
      .insertInto('signalbox_process_message')
      .values(rows.slice(from, from + 500))
      .execute();
  }
  return true;
}

/** A text of at most so many characters that PostgreSQL takes, which has no NUL. */
export function cut(text: string): string {
  const sound = text.replaceAll('\0', '').toWellFormed();
  return sound.length > LONGEST_LINE ? `${sound.slice(0, LONGEST_LINE - 3).toWellFormed()}...` : sound;
}
