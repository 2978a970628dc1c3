import { type ExampleRequest, exampleRequest } from '../../describe/example/request.ts';
import { restSchemes, soapSchemes } from '../../describe/requirements.ts';
import { activeOperations } from '../../describe/scope.ts';
import type { Registry } from '../../model/registry.ts';
import { isMessageScheme, type SecurityScheme, type TransportScheme, type User } from '../../model/security.ts';
import type { Answer, Operation } from '../../model/service.ts';
import { may } from '../../security/authorise.ts';

/**
 * A request as a command line to paste.
 * @param credentials words that show them; empty when none are needed
 */
export function curlCommand({ method, url, headers, body }: ExampleRequest, credentials: readonly string[]): string {
  const words = ['curl'];
  if (method === 'HEAD') words.push('--head');
  else if (method !== 'GET') words.push('-X', method);
  words.push(...credentials.map(shellWord));
  for (const [name, value] of Object.entries(headers)) {
    // The default form is what curl's own `Accept: */*` gets.
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

/** A user of the sample who may call the operation, for a line that works as it stands. */
export function sampleUser(operation: Operation, { users }: Registry, sampleUsers: boolean): User | undefined {
  return sampleUsers ? [...users.values()].find((user) => user.sample && may(user, operation)) : undefined;
}

/** Words of a curl line that show what an operation asks for over REST, with places for the reader's own. */
export function restCredentials(operation: Operation, sample: User | undefined): readonly string[] {
  return wordsOf(restSchemes(operation), sample);
}

/** The same over SOAP; none where only the message itself shows it. */
export function soapCredentials(operation: Operation, sample: User | undefined): readonly string[] {
  return wordsOf(soapSchemes(operation), sample);
}

/** @param sample a user whose line works as it stands */
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
      // curl asks for the password.
      return ['-u', 'USER'];
    case 'api-key':
      return ['-H', `${scheme.header}: KEY`];
    case 'bearer':
      return ['-H', 'Authorization: Bearer TOKEN'];
    case 'client-certificate':
      return ['--cert', 'CERTIFICATE.pem', '--key', 'KEY.pem'];
  }
}

/** Services of the project before those of the package; what needs other systems, or a record that is there, comes last. */
const ORDER: readonly Answer['kind'][] = ['handler', 'query', 'queries', 'component', 'delivered', 'call'];

/**
 * A line for a shell by which somebody sees that the gateway answers: a GET, one that works as it stands where there is one.
 * @param base address of the gateway with its context
 * @param sampleUsers users of the sample may call
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
