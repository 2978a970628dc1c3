import { type ExampleRequest, exampleRequest } from '../../describe/example/request.ts';
import { restSchemes, soapSchemes } from '../../describe/requirements.ts';
import { activeOperations } from '../../describe/scope.ts';
import type { Registry } from '../../model/registry.ts';
import { isMessageScheme, type SecurityScheme, type TransportScheme, type User } from '../../model/security.ts';
import type { Answer, Operation } from '../../model/service.ts';
import { may } from '../../security/authorise.ts';

/**
 * A request as a command line to paste.
 * @param credentials curl arguments with the credentials; empty when none are needed
 */
export function curlCommand({ method, url, headers, body }: ExampleRequest, credentials: readonly string[]): string {
  const words = ['curl'];
  if (method === 'HEAD') words.push('--head');
  else if (method !== 'GET') words.push('-X', method);
  words.push(...credentials.map(shellWord));
  for (const [name, value] of Object.entries(headers)) {
    // curl's own `Accept: */*` already gets the default format.
    if (name !== 'Accept') words.push('-H', shellWord(`${name}: ${value}`));
  }
  if (body !== undefined) words.push('--data-raw', shellWord(body));
  words.push(shellWord(url));
  return words.join(' ');
}

/** One word of a POSIX shell. */
function shellWord(text: string): string {
  return /^[A-Za-z0-9:_@%+=,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A sample user that is permitted to call the operation, for a command that works unchanged. */
export function sampleUser(operation: Operation, { users }: Registry, sampleUsers: boolean): User | undefined {
  return sampleUsers ? [...users.values()].find((user) => user.sample && may(user, operation)) : undefined;
}

/** curl arguments for the credentials that an operation requires over REST, with placeholders for the reader's own. */
export function restCredentials(operation: Operation, sample: User | undefined): readonly string[] {
  return wordsOf(restSchemes(operation), sample);
}

/** The same over SOAP; empty when credentials can only be inside the message. */
export function soapCredentials(operation: Operation, sample: User | undefined): readonly string[] {
  return wordsOf(soapSchemes(operation), sample);
}

/** @param sample a user for whom the command works unchanged */
function wordsOf(schemes: readonly SecurityScheme[], sample: User | undefined): readonly string[] {
  const offered = schemes.filter((scheme): scheme is TransportScheme => !isMessageScheme(scheme));
  const basic = offered.find((scheme) => scheme.kind === 'basic');
  // A sample user's password is its name.
  if (basic !== undefined && sample !== undefined) return ['-u', `${sample.id}:${sample.id}`];
  const [first] = offered;
  return first === undefined ? [] : placeholders(first);
}

function placeholders(scheme: TransportScheme): readonly string[] {
  switch (scheme.kind) {
    case 'basic':
      // curl prompts for the password.
      return ['-u', 'USER'];
    case 'api-key':
      return ['-H', `${scheme.header}: KEY`];
    case 'bearer':
      return ['-H', 'Authorization: Bearer TOKEN'];
    case 'client-certificate':
      return ['--cert', 'CERTIFICATE.pem', '--key', 'KEY.pem'];
    case 'webhook':
      return ['-H', 'webhook-id: ID', '-H', 'webhook-timestamp: SECONDS', '-H', 'webhook-signature: v1,SIGNATURE'];
  }
}

/**
 * Services of the project come before those of the package; answers that need other systems or an existing record come
 * last.
 */
const ORDER: readonly Answer['kind'][] = ['handler', 'query', 'queries', 'component', 'delivered', 'call'];

/**
 * A shell command that shows that the gateway answers: a GET, preferably one that works unchanged.
 * @param base address of the gateway with its context
 * @param sampleUsers whether sample users are active
 */
export function firstCall(registry: Registry, base: string, sampleUsers: boolean): string | undefined {
  const calls = [...registry.services.values()]
    .flatMap((service) => activeOperations({ service }))
    .filter(({ method, uris }) => method === 'GET' && uris.length > 0);
  const rank = (operation: Operation): number => {
    const works = operation.public || sampleUser(operation, registry, sampleUsers) !== undefined;
    return (works ? 0 : ORDER.length) + ORDER.indexOf(operation.answer.kind);
  };
  const [operation] = calls.sort((a, b) => rank(a) - rank(b));
  const [uri] = operation?.uris ?? [];
  if (operation === undefined || uri === undefined) return undefined;
  const credentials = restCredentials(operation, sampleUser(operation, registry, sampleUsers));
  return curlCommand(exampleRequest(operation, uri, base), credentials);
}
