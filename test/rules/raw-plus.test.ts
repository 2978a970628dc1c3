import { expect, it } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';

const DEFINITIONS = `service: Times.v1
public: true
operations:
  SINCE:
    get: "since{?AT,WORD}"
    request: { fields: { AT: datetime, WORD: string(4) } }
    response: { fields: { AT: datetime, WORD: string } }
    handler: echo
`;

it('a raw + in the offset of a query parameter is refused with its remedy', async () => {
  const gateway = await startTestGateway({
    files: {
      'definitions/times.yaml': DEFINITIONS,
      'src/handlers/echo.ts': 'export default { onRequest: (given) => given };\n',
    },
  });
  try {
    const base = '/gateway/RESTListeningConnector/Times.v1/since';
    const encoded = await gateway.call(`${base}?AT=2027-01-01T00:00:00%2B01:00`);
    expect(encoded.status, encoded.text).toBe(200);
    const raw = await gateway.call(`${base}?AT=2027-01-01T00:00:00+01:00`);
    expect(raw.status).toBe(400);
    expect(raw.text).toMatch(
      /"parameter":"AT","detail":"AT [^"]*: a raw \+ in a query means a space, so write it as %2B\./,
    );
    // What is wrong with or without it has no such remedy.
    const other = await gateway.call(`${base}?AT=2027-13-01T00:00:00+01:00`);
    expect(other.text).not.toContain('%2B');
    const long = await gateway.call(`${base}?WORD=a+b+c`);
    expect(long.status).toBe(400);
    expect(long.text).not.toContain('%2B');
  } finally {
    await gateway.stop();
  }
});
