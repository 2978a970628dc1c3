import { restSchemes, soapSchemes } from '../../describe/requirements.ts';
import type { Registry } from '../../model/registry.ts';
import { isMessageScheme, type SecurityScheme, type TransportScheme, type User } from '../../model/security.ts';
import type { Operation } from '../../model/service.ts';
import { may } from '../../security/authorise.ts';

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
