// Calls operations with WS-Security by the package `soap`. Reads what it is to show as JSON, writes what came of each call.
import { readFileSync } from 'node:fs';
import { json } from 'node:stream/consumers';
import { createClientAsync, type ISecurity, WSSecurity, WSSecurityCert } from 'soap';

const given = (await json(process.stdin)) as Readonly<Record<'wsdl' | 'key' | 'certificate' | 'secret', string>>;
const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#';

async function call(operation: string, security: ISecurity): Promise<string> {
  const client = await createClientAsync(given.wsdl);
  client.setSecurity(security);
  try {
    const [reply] = await client[`${operation}Async`]({ S: 'Grüße & <b>' });
    return reply.S;
  } catch (error) {
    const { root } = error as { readonly root?: { Envelope: { Body: { Fault: { faultstring: string } } } } };
    return root?.Envelope.Body.Fault.faultstring ?? String(error);
  }
}

const digest = (secret: string): ISecurity =>
  new WSSecurity('demo', secret, { passwordType: 'PasswordDigest', hasTimeStamp: true, mustUnderstand: true });
const signature = (): ISecurity =>
  new WSSecurityCert(readFileSync(given.key), readFileSync(given.certificate, 'utf8'), '', {
    hasTimeStamp: true,
    signatureAlgorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    // The package has the enveloped transform first, which no part of a message has a use for.
    signatureTransformations: [EXCLUSIVE],
    signerOptions: { idMode: 'wssecurity' },
  });

process.stdout.write(
  JSON.stringify({
    text: await call('TOKEN', new WSSecurity('demo', 'demo', { passwordType: 'PasswordText' })),
    'wrong text': await call('TOKEN', new WSSecurity('demo', 'wrong', { passwordType: 'PasswordText' })),
    digest: await call('DIGEST', digest(given.secret)),
    'wrong digest': await call('DIGEST', digest('wrong')),
    'signature with a token': await call('SIGNED', signature()),
  }),
);
