import { describe, expect, it, onTestFinished } from 'vitest';
import { startConsole } from './support.ts';
import { TRY_PROJECT } from './try-project.ts';

const PARCELS = `type: PARCEL_STATE
description: How far a parcel is.
base: string(1)
enum: [N, S, X]
labels: { N: New, S: Sent }
---
document: PARCEL
fields: { STATE: PARCEL_STATE, SIZE: { type: string, enum: [L, M], labels: { L: Large & wide } } }
---
query: PARCELS_OF
permission: EVERYTHING
prompts: { STATE: PARCEL_STATE }
columns: { STATE: string }
sql: select :STATE as STATE
---
service: Parcels.v1
permission: EVERYTHING
operations:
  PARCELS_GET: { get: "parcels{?STATE}", request: { fields: { STATE: PARCEL_STATE } }, response: list of PARCEL, handler: parcels }
`;

describe('labels of values', () => {
  it('are shown where people choose values, and where they read about them', async () => {
    const gateway = await startConsole({
      files: {
        ...TRY_PROJECT,
        'definitions/parcels.yaml': PARCELS,
        'src/handlers/parcels.ts': 'export default { onRequest: () => [] };\n',
      },
    });
    onTestFinished(() => gateway.stop());
    const visitor = await gateway.signIn('demo', 'demo');
    const textOf = async (path: string): Promise<string> => (await visitor.get(path)).text;
    for (const path of ['/try/PARCELS_GET', '/queries/PARCELS_OF']) {
      const form = await textOf(path);
      for (const [value, text] of [
        ['N', 'N: New'],
        ['S', 'S: Sent'],
        ['X', 'X'],
      ])
        expect(form, path).toContain(`<option value="${value}">${text}</option>`);
    }
    const document = await textOf('/registry/documents/PARCEL');
    expect(document).toContain('N: New; S: Sent.');
    expect(document).toContain('L: Large &amp; wide.');
    expect(await textOf('/registry/types/PARCEL_STATE')).toContain('N: New, S: Sent, X');
  });
});
