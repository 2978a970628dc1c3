import { expect, it, onTestFinished } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';
import { startIssuer } from '../support/issuer.ts';
import { eventually } from '../support/project.ts';
import { PROCESS_PROJECT, REST } from './process-project.ts';

it('runs a process for a caller whom a token vouches for, under the roles of the token', async () => {
  const issuer = await startIssuer();
  onTestFinished(() => issuer.close());
  const scheme = `requires: [basic, idp]
---
scheme: idp
bearer:
  issuer: ${issuer.url}
  audience: signalbox
  jwks: ${issuer.jwks}
  algorithms: [ES256]
  roles: { all: [ALL], few: [FEW] }
`;
  const gateway = PROCESS_PROJECT['definitions/gateway.yaml'] as string;
  const test = await startTestGateway({ files: { ...PROCESS_PROJECT, 'definitions/gateway.yaml': gateway + scheme } });
  onTestFinished(() => test.stop());
  const call = async (path: string, scope: string, body?: object) =>
    test.call(`${REST}/requests${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${await issuer.token({ scope, sub: 'partner' })}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const extract = {
    RunControlId: 'RC',
    ProcessType: 'Application Engine',
    ProcessName: 'EXTRACT',
    parameters: [{ Name: 'REGION', Value: 'N' }],
  };
  expect(JSON.parse((await call('', 'few', extract)).text)).toMatchObject({ status: 'failure' });
  const entered = await call('', 'all', extract);
  const { ProcessInstance } = JSON.parse(entered.text) as { ProcessInstance: number };
  const ended = await eventually('its end', async () => {
    const found = JSON.parse((await call(`/${ProcessInstance}`, 'all')).text) as Record<string, unknown>;
    return ['Queued', 'Initiated', 'Processing'].includes(found.RunStatus as string) ? undefined : found;
  });
  expect(ended).toMatchObject({ RunStatus: 'Success', OperatorID: 'idp:partner' });
});
