import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MessageConsole, startMessageConsole } from './messages.ts';
import type { Visitor } from './support.ts';

describe('editing a message in the console', () => {
  let box: MessageConsole;
  let demo: Visitor;
  beforeAll(async () => {
    box = await startMessageConsole();
    demo = await box.signIn('demo');
  });
  afterAll(() => box.stop());

  const failed = async (PLACE: string): Promise<string> => {
    const id = await box.publish('changed', { PLACE, N: 1, SECRET: 'geheim', NOTE: 'a\nb' });
    await box.shows(id, 'is Hold');
    return id;
  };

  it('by fields publishes a copy with those that were changed, and keeps what is masked', async () => {
    const id = await failed('fields');
    const { text } = await demo.get(`/messages/${id}/edit`);
    expect(text).toContain('name="value.SECRET" type="text" autocomplete="off" value="***"');
    const done = await demo.post(`/messages/${id}/edit`, {
      ...{ as: 'fields', 'value.PLACE': 'fields', 'value.N': '2', 'value.SECRET': '***', 'value.NOTE': 'a\r\nb' },
    });
    expect(done.status, done.text).toBe(303);
    const copy = /messages\/([0-9a-f-]{36})/.exec(String(done.headers.location))?.[1] ?? '';
    const page = await box.shows(copy, 'attempt 1 succeeded');
    expect(page).toContain(`href="/console/messages/${id}"`);
    expect((await demo.get(`/messages/${id}`)).text).toContain(`href="/console/messages/${copy}"`);
    expect(box.erp.at('/erp/fields').map(({ body }) => body)).toEqual([
      { N: 1, NOTE: 'from fields' },
      { N: 2, NOTE: 'from fields' },
    ]);
    expect(box.log()).toContainEqual(expect.objectContaining({ action: 'message.edit', target: `${id} ${copy}` }));
  });

  it('by fields names what is wrong at its field, and loses nothing', async () => {
    const id = await failed('wrong');
    const { status, text } = await demo.post(`/messages/${id}/edit`, {
      ...{ as: 'fields', 'value.PLACE': 'wrong', 'value.N': 'two <i>', 'value.SECRET': '***', 'value.NOTE': 'mine' },
    });
    expect(status).toBe(400);
    expect(text).toContain('Nothing was published.');
    expect(text).toContain('value="two &lt;i&gt;" aria-invalid="true"');
    expect(text).toContain('value="mine"');
    const same = await demo.post(`/messages/${id}/edit`, {
      ...{ as: 'fields', 'value.PLACE': 'wrong', 'value.N': '1', 'value.SECRET': '***', 'value.NOTE': 'a\nb' },
    });
    expect(same.text).toContain('no field was changed');
  });

  it('as JSON reports where the text is not JSON or does not fit, and keeps the text', async () => {
    const id = await failed('json');
    expect((await demo.get(`/messages/${id}/edit?as=json`)).text).toContain('&quot;SECRET&quot;: &quot;***&quot;');
    for (const [json, wrong] of [
      ['{ "PLACE": "json",\n oops', 'is not JSON: an error at line 2'],
      ['{ "PLACE": "much too long for it" }', 'PLACE'],
      ['{ "PLACE": "json", "NOTE": "***" }', 'contains ***'],
    ] as const) {
      const { status, text } = await demo.post(`/messages/${id}/edit`, { as: 'json', json });
      expect(status).toBe(400);
      expect(text).toContain(wrong);
      expect(text).toContain(json.replaceAll('"', '&quot;'));
    }
    const done = await demo.post(`/messages/${id}/edit`, { as: 'json', json: '{"PLACE":"json","N":3,"SECRET":"***"}' });
    expect(done.status, done.text).toBe(303);
  });

  it('is not possible for what was delivered, and says so', async () => {
    const id = await box.publish('changed', { PLACE: 'done', N: 2 });
    await box.shows(id, 'succeeded');
    const { status, text } = await demo.post(`/messages/${id}/edit`, { as: 'json', json: '{"PLACE":"done","N":3}' });
    expect(status).toBe(400);
    expect(text).toContain('has no delivery that is Error or Timeout or Hold');
  });
});
