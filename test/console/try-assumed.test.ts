import { describe, expect, it, onTestFinished } from 'vitest';
import { entered } from './form.ts';
import { startConsole } from './support.ts';
import { TRY_PROJECT } from './try-project.ts';

const SHELVES = `service: Shelves.v1
permission: EVERYTHING
operations:
  SHELF_PATCH:
    patch: shelves/{ID}{?NOTIFY}
    handler: shelf
    request:
      fields:
        ID: { type: integer, required: true, example: 7 }
        NOTIFY: { type: boolean, assumed: true }
        LABEL: { type: string }
        LOCKED: { type: boolean, assumed: false }
        TONE: { type: string, assumed: grey }
    response: { fields: { GIVEN: text } }
`;

describe('the form of a call with values that the other side assumes', () => {
  it('names them as hints, and sends none that nobody entered', async () => {
    const gateway = await startConsole({
      files: {
        ...TRY_PROJECT,
        'definitions/shelves.yaml': SHELVES,
        'src/handlers/shelf.ts': 'export default { onRequest: (given) => ({ GIVEN: Object.keys(given).join() }) };\n',
      },
    });
    onTestFinished(() => gateway.stop());
    const visitor = await gateway.signIn('demo', 'demo');
    const { text: page } = await visitor.get('/try/SHELF_PATCH');
    for (const value of ['true', 'false', 'grey']) expect(page).toContain(`Assumed if not given: ${value}.`);
    const fields = entered(page);
    expect(fields).toMatchObject({ 'v:ID': '7', 'v:NOTIFY': '', 'v:LOCKED': '', 'v:TONE': '' });
    const reply = await visitor.post('/try/SHELF_PATCH/send', { ...fields, 'v:LABEL': 'N', confirmed: 'yes' });
    expect(reply.text).toContain('ID,LABEL');
    expect(reply.text).not.toMatch(/ID,LABEL,|LOCKED&quot;: false/);
  });
});
