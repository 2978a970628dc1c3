import type { Command } from 'commander';
import { CliFailure, wrongUsage } from '../../cli/failure.ts';
import { explain } from '../../cli/help.ts';
import { fileText } from '../../cli/invoke/files.ts';
import { printResult } from '../../cli/terminal.ts';
import { CodecError, readJsonText } from '../../codec/index.ts';
import type { JsonValue } from '../../model/value.ts';
import { quote } from '../../wire/words.ts';
import { acts } from './access.ts';

const ID = '0195a3f0-5d6c-7c8e-9d0a-2f6f0f6e7c11';

/** `signalbox message edit`. */
export function addEdit(message: Command): void {
  const command = explain(message.command('edit'), {
    examples: [
      `signalbox message edit ${ID} REGION=S 'DESCR=New York'`,
      `signalbox message show ${ID} --json | jq .payload.request > request.json`,
      `signalbox message edit ${ID} request.json`,
    ],
    notes: [
      'The copy is a message of its own, which names the original; the original is not changed. The copy is delivered in place of those deliveries of the original that are Error, Timeout or Hold, which become Edited, or in place of the one whose id is given; in the same partition it has the place of the one that it replaces. Values that are masked (***) and attachments keep what the original has.',
    ],
  })
    .description('publish an edited copy of a message in place of deliveries that failed or are held')
    .argument('<id>', 'the id of a message, or of a delivery')
    .argument(
      '[changes...]',
      'fields and their new values, as in REGION=S, lists and documents in JSON; or a file with the whole edited request in JSON, - or nothing for standard input',
    );
  acts(command, async ({ messages, actor, json }, id: string, given: readonly string[]) => {
    const [path = '-', ...more] = given;
    const isFile = more.length === 0 && !path.includes('=');
    if (isFile && path === '-' && process.stdin.isTTY)
      throw wrongUsage(
        'edit takes fields with their values, a file, or the edited request on standard input',
        "'signalbox message edit --help' shows both.",
      );
    const changes = isFile ? readPayload(path, await fileText({ path, contentType: undefined })) : readFields(given);
    const edited = await messages.edit(id, changes, actor);
    await printResult(edited, json, ({ message: copy, editedFrom, replaced, subscriptions }) => {
      const lines = replaced.map(
        ({ subscription, was }) => `The delivery to ${subscription}, which was ${was}, is Edited.\n`,
      );
      return `Message ${copy} is published to ${subscriptions.join(', ')} in place of ${editedFrom}.\n${lines.join('')}`;
    });
  });
}

/** @throws CliFailure */
function readFields(given: readonly string[]): ReadonlyMap<string, string> {
  const pairs = given.map((text): [string, string] => {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
    if (name !== undefined && value !== undefined) return [name, value];
    throw wrongUsage(`${quote(text)} is not a field with its value, as in REGION=S`);
  });
  return new Map(pairs);
}

/** @throws CliFailure */
function readPayload(path: string, text: string): JsonValue {
  try {
    return readJsonText(text);
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
    throw new CliFailure(`${path === '-' ? 'standard input' : path} ${error.reason}`, {
      exitCode: 2,
      cause: error,
    });
  }
}
