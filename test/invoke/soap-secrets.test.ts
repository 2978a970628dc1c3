import { describe, expect, it } from 'vitest';
import type { InvokeError, SoapFault } from '../../src/invoke/index.ts';
import { compound, document, field } from '../support/registry.ts';
import { everythingOf, leaked } from '../support/secrets.ts';
import { type Answer, client, node, partner, reply, SERVICE_NAMESPACE, SUM, target, thrown } from './support.ts';

const SECRET = 's3cret&of<mine>';
const IN_XML = 's3cret&amp;of&lt;mine&gt;';

const LOGIN = document('LOGIN', [
  field('user'),
  field('inner', compound(document('INNER', [field('password', 'text', { sensitive: true })]))),
]);
const TROUBLE = document('TROUBLE', [field('message', 'text'), field('ticket', 'text', { sensitive: true })]);
const INPUT = { user: 'ada', inner: { password: SECRET } };

async function failure(answer: Answer): Promise<InvokeError> {
  const { url } = await target(answer);
  const registry = partner(node('PARTNER', [url]), { request: LOGIN, response: SUM, fault: TROUBLE });
  return (await thrown(client(registry).call('FILE_SEND', INPUT))) as InvokeError;
}

describe('an error of a call over SOAP', () => {
  it('of a fault that repeats what is secret in the request is told without it', async () => {
    const trouble = `<t:TROUBLE xmlns:t="${SERVICE_NAMESPACE}"><t:message>not ${IN_XML}</t:message><t:ticket>tick7</t:ticket></t:TROUBLE>`;
    const error = (await failure(
      reply(
        `<SOAP-ENV:Fault><faultcode>SOAP-ENV:Server</faultcode><faultstring>No user with ${IN_XML}</faultstring><detail>${trouble}</detail></SOAP-ENV:Fault>`,
        500,
      ),
    )) as SoapFault;
    expect(error).toMatchObject({
      message: 'FILE_SEND: No user with ***',
      reason: 'No user with ***',
      detail: { message: 'not ***', ticket: '***' },
    });
    expect(error.detailXml).toMatch(/<t:message>not \*\*\*<\/t:message><t:ticket>\*\*\*<\/t:ticket>/);
    expect(leaked(everythingOf(error), [SECRET, IN_XML, 'tick7'])).toEqual([]);
  });

  it.each<[string, Answer]>([
    ['a page', { status: 500, headers: { 'Content-Type': 'text/html' }, body: `<p>${SECRET}</p>` }],
    ['XML that is none', { status: 500, headers: { 'Content-Type': 'text/xml' }, body: `<p>${SECRET}` }],
    ['XML of another kind', { status: 500, headers: { 'Content-Type': 'text/xml' }, body: `<p>${IN_XML}</p>` }],
    ['no message', { status: 200, headers: { 'Content-Type': 'text/plain' }, body: SECRET }],
  ])('with %s that repeats it is told without it', async (_, answer) => {
    const error = await failure(answer);
    expect(error.body).toContain('***');
    expect(leaked(everythingOf(error), [SECRET, IN_XML])).toEqual([]);
  });

  it('shows the request without it', async () => {
    const { sent } = await failure({ status: 503 });
    expect(sent?.body).toContain('<user>ada</user><inner><password>***</password></inner>');
  });

  it('shows much of a body that is no message to its end, whatever pieces it came in', async () => {
    const words = 'sorry '.repeat(200);
    const error = await failure({ status: 502, headers: { 'Content-Type': 'text/xml' }, body: words });
    expect(error.body).toBe(words.trim());
  });
});
