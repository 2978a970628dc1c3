import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { eventually } from '../support/project.ts';
import { type RawReply, readConversation, readReply, replyPattern, requestText } from './conversations/conversation.ts';
import { conversationProject } from './conversations/project.ts';

const folder = fileURLToPath(new URL('./conversations/', import.meta.url));
const files = readdirSync(folder).filter((name) => name.endsWith('.txt'));

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ files: conversationProject() });
});
afterAll(async () => {
  expect(gateway.log().filter((line) => line.level === 'error')).toEqual([]);
  await gateway.stop();
});

const told = ({ status, headers, text }: RawReply): string =>
  `${status} ${headers.get('content-type') ?? ''}\n\n${text}`;

describe('what public clients of the original send and read', () => {
  it.each(files.toSorted())('%s', async (file) => {
    const { steps } = readConversation(readFileSync(folder + file, 'utf8'));
    expect(steps.length).toBeGreaterThan(0);
    const kept = new Map<string, string>();
    for (const [index, step] of steps.entries()) {
      const ask = async (): Promise<RawReply> => readReply(await gateway.raw(requestText(step, kept)));
      const pattern = replyPattern(step, kept);
      const reply = step.again
        ? await eventually(`the reply of step ${index + 1}`, async () => {
            const found = await ask();
            return pattern.test(found.text) ? found : undefined;
          })
        : await ask();
      const found = pattern.exec(reply.text);
      if (found === null)
        expect(told(reply), `step ${index + 1}`).toBe(`${step.status} ${step.contentType}\n\n${step.reply}`);
      expect([reply.status, reply.headers.get('content-type') ?? ''], `step ${index + 1}`).toEqual([
        step.status,
        step.contentType,
      ]);
      for (const [name, text] of Object.entries(found?.groups ?? {})) kept.set(name, text);
    }
  });
});
