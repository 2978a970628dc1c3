import type { CallText } from '../../model/call-text.ts';
import type { CallBody } from '../../model/consumer.ts';
import type { Field } from '../../model/field.ts';
import type { Message, Method, Operation } from '../../model/service.ts';
import { type Linking, refuseBoth } from '../linking.ts';
import { linkBody } from '../operation/body.ts';
import type { InputFields } from '../operation/input.ts';
import type { OperationSpot } from '../operation/spot.ts';
import { isSecretName } from '../value/secrets.ts';
import { isClearText, linkCallText } from './call-text.ts';

/** The body of a call, and whether it can be told; where not, that has been reported. */
interface LinkedBody {
  readonly body: CallBody;
  readonly known: boolean;
  /** Why a field that neither URI nor headers carry may not be sent. */
  readonly why: string;
}

/** Reads `form:` and `body:`, and what follows from method and request without them. */
export function linkCallBody(
  linking: Linking,
  spot: OperationSpot,
  method: Method,
  request: Message | undefined,
  input: InputFields,
): LinkedBody {
  if (spot.declared.form !== undefined)
    return { body: linkForm(linking, spot, method, request, input), known: true, why: 'the form does not name it' };
  const { kind, field, known, why } = linkBody(linking, spot, method, request);
  const own = field === undefined ? undefined : input.byName.get(field.name);
  return { body: callBody(kind, own, request), known: known && !spot.lacks('request', 'body', 'form'), why };
}

function callBody(kind: Operation['body'], field: Field | undefined, request: Message | undefined): CallBody {
  if (field !== undefined) return { kind: 'field', field };
  if (kind === 'document' && request?.kind === 'document') return { kind, document: request.document };
  return kind === 'raw' && request?.kind === 'raw' ? { kind, raw: request.raw } : { kind: 'none' };
}

function linkForm(
  linking: Linking,
  spot: OperationSpot,
  method: Method,
  request: Message | undefined,
  input: InputFields,
): CallBody {
  const { report, places } = linking;
  const { declared } = spot;
  const form = declared.form ?? {};
  const at = places.key(declared, 'form');
  refuseBoth(linking, declared, 'form', 'body', 'each of them says what the body is');
  if (method === 'GET' || method === 'HEAD') report.raise('bad-body', { reason: `${method} carries no body` }, at);
  if (request?.kind === 'raw') {
    const reason = `The request is ${request.raw}, which is the body, and form: says another`;
    report.raise('bad-body', { reason }, at);
  }
  const fields = Object.keys(form).map((name): { readonly name: string; readonly text: CallText } => {
    const text = linkCallText(linking, form[name] ?? '', input, (offset, length) =>
      places.inText(form, name, offset, length),
    );
    if (isSecretName(name) && isClearText(text)) {
      const instead = 'Write ${secret:NAME} in its place, or a value of the call.';
      report.raise('secret-in-clear', { what: `The form field ${name}`, instead }, places.value(form, name));
    }
    return { name, text };
  });
  return { kind: 'form', fields };
}

/** The fields that travel in the body of one URI: those of a document that neither it nor a header carries. */
export function bodyFields(body: CallBody, input: InputFields, elsewhere: ReadonlySet<string>): readonly Field[] {
  if (body.kind === 'field') return [body.field];
  if (body.kind !== 'document') return [];
  const left = body.document.fields.filter(({ name }) => !elsewhere.has(name));
  return left.flatMap(({ name }) => input.byName.get(name) ?? []);
}
