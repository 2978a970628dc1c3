import type { Field } from '../../model/field.ts';
import type { Message, Method, Operation } from '../../model/service.ts';
import type { Linking } from '../linking.ts';
import { linkBody, linkUri } from './body.ts';
import type { OperationSpot } from './spot.ts';
import { type InputFields, linkHeaders, linkVariables, type PlacedTemplate } from './uri.ts';

/** What REST adds to an operation. */
type RestForm = Pick<Operation, 'method' | 'uris' | 'requestHeaders' | 'body'>;

/** An operation that has no method. */
export const NO_REST: RestForm = { uris: [], requestHeaders: [], body: 'none' };

/** Ties an operation's templates and headers to its input, and what is left to the body. */
export function linkRest(
  linking: Linking,
  spot: OperationSpot,
  method: Method,
  { templates, request, input, repeatable }: RestParts,
): RestForm {
  const headers = linkHeaders(linking, spot, input);
  const body = linkBody(linking, spot, method, request);
  const parts = { request, headers, body, repeatable };
  const uris = templates.map((each) => linkUri(linking, spot, each, linkVariables(linking, each, input), parts));
  return { method, uris, requestHeaders: headers, body: body.kind };
}

interface RestParts {
  readonly templates: readonly PlacedTemplate[];
  readonly request: Message | undefined;
  readonly input: InputFields;
  /** Fields that a body may hold beside the URI. */
  readonly repeatable: readonly Field[];
}
