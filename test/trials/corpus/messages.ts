import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Losses } from '../../../src/import/place.ts';
import { gather, type ReadSource } from '../../../src/import/source.ts';
import { WSDL_LANGUAGE } from '../../../src/import/wsdl/sources.ts';
import type { SoapConsumer } from '../../../src/model/consumer.ts';
import type { Registry } from '../../../src/model/registry.ts';
import type { DocumentValue } from '../../../src/model/value.ts';
import { readXml } from '../../../src/wire/xml/read-xml.ts';
import { childrenOf, type XmlElement } from '../../../src/wire/xml/tree.ts';
import { writeXml } from '../../../src/wire/xml/write-xml.ts';
import { differenceOf } from './compare.ts';
import { callPartner, envelopeOf, type Partner, readValue, startPartner, versionOf } from './messages/consumed.ts';
import { MessageMaker } from './messages/requests.ts';
import { loadContract, ownRequest, type Served, serve } from './messages/served.ts';
import type { Zeep, ZeepMessage, ZeepOperation, ZeepResult } from './messages/zeep.ts';
import { writeOriginals } from './originals.ts';
import { Unmakeable } from './simple-text.ts';
import { NotSimple } from './simple-types.ts';
import { SchemaRefused, validate } from './validate.ts';

export type CallFinding =
  | 'ok'
  | 'unmade' // no valid message could be made
  | 'inactive' // as the import reports
  | 'client' // zeep does not read or write the message
  | 'client sends what is not valid' // and the gateway refuses it
  | 'refused' // a valid message is refused
  | 'other operation'
  | 'other content' // the handler receives other values
  | 'invalid reply' // by the schema of the contract
  | 'reply not read' // by zeep
  | 'reply lost' // in part, by zeep
  | 'fault not read'
  | 'not sent' // by us, of a valid message
  | 'sent other content' // than the message that the value was read of
  | 'sent other headers'
  | 'reply refused' // by us
  | 'other reply' // is read by us
  | 'no example'
  | 'not served' // or not called: the import has no such operation
  | 'invalid request' // by the contract
  | 'invalid fault';

export interface CallOutcome {
  readonly path: string;
  readonly operation: string;
  readonly finding: CallFinding;
  readonly reason: string;
  readonly text?: string;
}

export interface ContractOutcome {
  /** Why no call was made. */
  readonly reason?: string;
  readonly operations: number;
  readonly calls: readonly CallOutcome[];
}

interface Trial {
  readonly path: string;
  readonly zeep: Zeep;
  readonly served: Served;
  readonly maker: MessageMaker;
  /** The schema of the contract, as a file for xmllint. */
  readonly schema: string;
  readonly folder: string;
}

/** Operations of one contract that are called: the largest have hundreds. */
const MOST = 25;

/** Serves a contract and calls each of its operations with clients of the contract, or of what we describe of it. */
export async function callContract(
  path: string,
  location: string,
  read: ReadSource,
  zeep: Zeep,
  { count, seed, own }: { readonly count: number; readonly seed: string; readonly own: boolean },
): Promise<ContractOutcome> {
  const { registry, errors } = await loadContract(location, read, 'provider');
  if (registry === undefined) return { reason: `not loaded: ${errors[0]}`, operations: 0, calls: [] };
  const served = await serve(registry);
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-messages-'));
  try {
    const sources = await gather([location], WSDL_LANGUAGE, read, new Losses());
    const schema = writeOriginals(sources, folder);
    const trial: Trial = { path, zeep, served, maker: new MessageMaker(sources, seed), schema, folder };
    const contracts = own ? wsdlsOf(served) : [location];
    const outcomes: ContractOutcome[] = [];
    for (const each of contracts) outcomes.push(await callAll(trial, each, count));
    const [first] = outcomes;
    return {
      ...(first?.reason === undefined ? {} : { reason: first.reason }),
      operations: outcomes.reduce((sum, { operations }) => sum + operations, 0),
      calls: outcomes.flatMap(({ calls }) => calls),
    };
  } finally {
    await served.close();
    rmSync(folder, { recursive: true });
  }
}

/** Calls each operation of a contract that is imported for calls, at a server that keeps what arrives. */
export async function consumeContract(
  path: string,
  location: string,
  read: ReadSource,
  zeep: Zeep,
  { count, seed }: { readonly count: number; readonly seed: string },
): Promise<ContractOutcome> {
  const { registry, errors } = await loadContract(location, read, 'consumer');
  if (registry === undefined) return { reason: `not loaded: ${errors[0]}`, operations: 0, calls: [] };
  const loaded = await zeep.load(location);
  if ('error' in loaded) return { reason: `zeep: ${loaded.error}`, operations: 0, calls: [] };
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-messages-'));
  const partner = await startPartner();
  try {
    const sources = await gather([location], WSDL_LANGUAGE, read, new Losses());
    const schema = writeOriginals(sources, folder);
    const trial = { path, registry, partner, maker: new MessageMaker(sources, seed), schema, folder };
    const calls: CallOutcome[] = [];
    const operations = loaded.operations.slice(0, MOST * 2);
    for (const operation of operations)
      for (let n = 0; n < count; n++) calls.push(...(await consumeOne(trial, operation)));
    return { operations: loaded.operations.length, calls };
  } finally {
    partner.close();
    rmSync(folder, { recursive: true });
  }
}

interface ConsumerTrial extends Pick<Trial, 'path' | 'maker' | 'schema' | 'folder'> {
  readonly registry: Registry;
  readonly partner: Partner;
}

async function consumeOne(trial: ConsumerTrial, operation: ZeepOperation): Promise<CallOutcome[]> {
  const at = { path: trial.path, operation: `${operation.port} ${operation.name}` };
  const consumer = consumerOf(trial.registry, operation);
  // A service that is offered over both versions of SOAP is called over one of them.
  if (consumer === undefined) return [];
  try {
    return [{ ...at, ...(await judgeConsumer(trial, operation, consumer)) }];
  } catch (error) {
    if (error instanceof Unmakeable || error instanceof NotSimple || error instanceof SchemaRefused)
      return [{ ...at, finding: 'unmade', reason: error.message }];
    throw error;
  }
}

function consumerOf({ services }: Registry, { name, action }: ZeepOperation): SoapConsumer | undefined {
  const all = [...services.values()].flatMap(({ consumers }) => consumers).filter((each) => each.kind === 'soap');
  const active = all.filter((each) => each.active);
  // Operations that share their name have the same one to zeep.
  const [only, another] = action ? active.filter(({ soap }) => soap.action === action) : [];
  if (only !== undefined && another === undefined) return only;
  const named = active.filter((each) => each.name === name || each.soap.name === name);
  return named.find(({ soap }) => soap.action === (action ?? '')) ?? named[0];
}

async function judgeConsumer(trial: ConsumerTrial, operation: ZeepOperation, consumer: SoapConsumer): Promise<Judged> {
  const { registry, partner, maker } = trial;
  const none = { body: null, headers: {} };
  const request = operation.input === null ? none : maker.make(operation.input);
  const wanted = envelopeOf(request, '1.1');
  const invalid = invalidity(trial, bodyOf(wanted), operation.input?.kind);
  if (invalid !== undefined) return { finding: 'unmade', reason: `not valid: ${invalid}` };
  const reply = operation.output === null ? none : maker.make(named(operation.output, operation.name));
  partner.reply = envelopeOf(reply, operation.soap);
  let input: DocumentValue;
  try {
    input = readValue(registry, consumer, request);
  } catch (error) {
    return { finding: 'not sent', reason: (error as Error).message, text: wanted };
  }
  let again: string;
  partner.sent.body = '';
  try {
    again = await callPartner(registry, consumer, input, partner);
  } catch (error) {
    const { body } = partner.sent;
    const finding = body === '' ? 'not sent' : 'reply refused';
    return { finding, reason: (error as Error).message, text: `${wanted}\n    ${body}\n    ${partner.reply}` };
  }
  const { headers, body } = partner.sent;
  const difference = envelopeDifference(wanted, body, maker.presets);
  if (difference !== undefined && !isFree(trial, difference, body, operation.input?.kind))
    return { finding: 'sent other content', reason: difference, text: `${wanted}\n    ${body}` };
  const action = actionSent(headers, versionOf(body));
  if (consumer.soap.action === (operation.action ?? '') && action !== (operation.action ?? ''))
    return { finding: 'sent other headers', reason: `action ${action}`, text: JSON.stringify(headers) };
  if (operation.output === null || again === '') return { finding: 'ok', reason: '' };
  const other = envelopeDifference(envelopeOf(reply, '1.1'), again, maker.presets);
  return other === undefined || isFree(trial, other, again, operation.output.kind)
    ? { finding: 'ok', reason: '' }
    : { finding: 'other reply', reason: other, text: `${partner.reply}\n    ${again}` };
}

/** The element of a reply of rpc/literal is named after the operation (WS-I R2729); zeep names it after the message. */
function named(output: ZeepMessage, operation: string): ZeepMessage {
  if (output.kind !== 'rpc') return output;
  return { ...output, element: `${/^\{.*\}/.exec(output.element ?? '')?.[0] ?? ''}${operation}Response` };
}

/** The action of a request. */
function actionSent(headers: IncomingHttpHeaders, version: '1.1' | '1.2'): string {
  if (version === '1.1') return String(headers.soapaction ?? '').replace(/^"|"$/g, '');
  return /action="?([^";]*)"?/.exec(headers['content-type'] ?? '')?.[1] ?? '';
}

function wsdlsOf({ registry, address }: Served): string[] {
  return [...registry.services.values()]
    .filter(
      ({ delivered, operations }) => !delivered && operations.some(({ active, soap }) => active && soap !== undefined),
    )
    .map(({ id }) => `${address}/PeopleSoftServiceListeningConnector/${id}.wsdl`);
}

async function callAll(trial: Trial, location: string, count: number): Promise<ContractOutcome> {
  const loaded = await trial.zeep.load(location);
  if ('error' in loaded) return { reason: `zeep: ${loaded.error}`, operations: 0, calls: [] };
  if (loaded.operations.length === 0) return { reason: 'no operation with SOAP', operations: 0, calls: [] };
  const calls: CallOutcome[] = [];
  for (const [index, operation] of loaded.operations.slice(0, MOST).entries()) {
    for (let n = 0; n < count; n++) calls.push(await callOne(trial, operation, `${index}.${n}`));
    for (const { name } of operation.faults) calls.push(await callOne(trial, operation, `${index}.${name}`, name));
  }
  return { operations: loaded.operations.length, calls };
}

async function callOne(trial: Trial, operation: ZeepOperation, id: string, fault?: string): Promise<CallOutcome> {
  const at = { path: trial.path, operation: `${operation.port} ${operation.name}` };
  if (isInactive(trial.served, operation)) return { ...at, finding: 'inactive', reason: '' };
  try {
    const message = operation.input === null ? { body: null, headers: {} } : trial.maker.make(operation.input);
    const { service, port, name } = operation;
    const address = addressFor(trial.served, operation);
    const call = { id, service, port, operation: name, address, ...message };
    const result = await trial.zeep.call(fault === undefined ? call : { ...call, fault });
    const judged =
      fault === undefined ? await judgeCall(trial, operation, id, result) : judgeFault(trial, operation, fault, result);
    return { ...at, ...judged };
  } catch (error) {
    if (error instanceof Unmakeable || error instanceof NotSimple)
      return { ...at, finding: 'unmade', reason: error.message };
    if (error instanceof SchemaRefused) return { ...at, finding: 'unmade', reason: `xmllint: ${error.message}` };
    throw error;
  }
}

/** Whether an operation is declared, and not served. */
function isInactive({ registry }: Served, { name }: ZeepOperation): boolean {
  const all = [...registry.services.values()].flatMap(({ delivered, operations }) => (delivered ? [] : operations));
  const named = all.filter((each) =>
    [each.name, each.soap?.name].some((own) => own !== undefined && plain(own) === plain(name)),
  );
  return named.length > 0 && named.every(({ active }) => !active);
}

/** The address that a user gives to clients of a port: that of the service which was imported for it. */
function addressFor({ registry, address }: Served, { address: stated, service, type, name }: ZeepOperation): string {
  if (stated?.startsWith(address)) return stated;
  const connector = `${address}/PeopleSoftServiceListeningConnector`;
  const all = [...registry.services.values()].filter(({ delivered, operations }) => {
    return (
      !delivered && operations.some((each) => each.soap?.name === name || each.name === name || each.soap !== undefined)
    );
  });
  if (all.length < 2) return connector;
  const found = [`${service}${type}`, service, type]
    .map((each) => all.find((one) => plain(one.name) === plain(each)))
    .find((each) => each !== undefined);
  return found === undefined ? connector : `${connector}/${found.id}`;
}

function plain(text: string): string {
  return text.replace(/\W|_/g, '').toLowerCase();
}

type Judged = Pick<CallOutcome, 'finding' | 'reason' | 'text'>;

async function judgeCall(trial: Trial, operation: ZeepOperation, id: string, result: ZeepResult): Promise<Judged> {
  const { sent, reply, error } = result;
  if (sent === null || sent === undefined)
    return { finding: 'client', reason: `${result.stage ?? 'call'}: ${error ?? ''}` };
  const received = trial.served.received.get(id);
  const body = bodyOf(sent);
  if (received === undefined || result.fault !== undefined) {
    const reason = result.fault?.message ?? error ?? `status ${result.status}`;
    if (/The mock has no reply/.test(reason)) return { finding: 'no example', reason };
    const invalid = invalidity(trial, body, operation.input?.kind);
    if (invalid !== undefined)
      return { finding: 'client sends what is not valid', reason: `${invalid}: ${reason}`, text: sent };
    return { finding: 'refused', reason, text: sent };
  }
  const { soap, name } = received.operation;
  const isNamed = [soap?.name, name].some((each) => each !== undefined && plain(each) === plain(operation.name));
  if (!isNamed && soap?.action !== operation.action)
    return { finding: 'other operation', reason: `${received.operation.id} instead of ${operation.name}`, text: sent };
  const own = await ownRequest(trial.served.registry, received.operation, received.input);
  const difference = envelopeDifference(sent, own, trial.maker.presets);
  if (difference !== undefined && !isFree(trial, difference, own, operation.input?.kind))
    return { finding: 'other content', reason: difference, text: `${sent}\n    ${own}` };
  if (operation.output !== null && reply !== undefined && reply !== '') {
    const invalid = invalidity(trial, bodyOf(reply), operation.output.kind);
    if (invalid !== undefined) return { finding: 'invalid reply', reason: invalid, text: reply };
  }
  if (error !== undefined) return { finding: 'reply not read', reason: error, text: reply ?? '' };
  if (typeof result.lost === 'string') return { finding: 'reply lost', reason: result.lost, text: reply ?? '' };
  return { finding: 'ok', reason: '' };
}

function judgeFault(trial: Trial, operation: ZeepOperation, name: string, result: ZeepResult): Judged {
  const declared = operation.faults.find((each) => each.name === name);
  if (result.sent === null || result.sent === undefined) return { finding: 'client', reason: result.error ?? '' };
  if (result.fault?.read === true) {
    const detail = childrenOf(bodyOf(result.reply ?? ''))
      .flatMap(childrenOf)
      .find(({ local }) => /^detail$/i.test(local));
    const [document] = detail === undefined ? [] : childrenOf(detail);
    const invalid = document && invalidElement(trial, document);
    return invalid === undefined
      ? { finding: 'ok', reason: 'fault' }
      : { finding: 'invalid reply', reason: `fault: ${invalid}`, text: result.reply ?? '' };
  }
  const invalid = result.sent === undefined ? undefined : invalidity(trial, bodyOf(result.sent), operation.input?.kind);
  if (invalid !== undefined) return { finding: 'client sends what is not valid', reason: invalid };
  const reason = `${declared?.element}: ${result.error ?? result.fault?.detail.join() ?? 'no fault'}: ${result.fault?.message ?? ''}`;
  return { finding: 'fault not read', reason, text: result.reply ?? '' };
}

/** The envelope of a message, which is the first part of one with attachments. */
function rootOf(message: string): XmlElement {
  if (!/^\s*--/.test(message)) return readXml(message);
  const [, content = ''] = /\r?\n\r?\n(.*?)\r?\n--/s.exec(message) ?? [];
  return readXml(content);
}

function bodyOf(envelope: string): XmlElement {
  const root = rootOf(envelope);
  const body = childrenOf(root).find(({ local }) => local === 'Body');
  if (body === undefined) throw new Error(`no Body: ${envelope.slice(0, 300)}`);
  return body;
}

function headersOf(envelope: string): XmlElement[] {
  return childrenOf(rootOf(envelope))
    .filter(({ local }) => local === 'Header')
    .flatMap(childrenOf);
}

/** The first error of a Body by the schemas; those of rpc are not judged, since no schema has their element. */
function invalidity(
  trial: Pick<Trial, 'schema' | 'folder'>,
  body: XmlElement,
  kind: string | undefined,
): string | undefined {
  const [element] = childrenOf(body);
  if (kind !== 'document' || element === undefined) return undefined;
  return invalidElement(trial, element);
}

/** Whether elements have another order that is valid, too: that of xs:all. */
function isFree(
  trial: Pick<Trial, 'schema' | 'folder'>,
  difference: string,
  envelope: string,
  kind: string | undefined,
): boolean {
  return /^order of elements/.test(difference) && invalidity(trial, bodyOf(envelope), kind) === undefined;
}

function invalidElement({ schema, folder }: Pick<Trial, 'schema' | 'folder'>, element: XmlElement): string | undefined {
  return validate(schema, [writeXml(element)], folder)[0];
}

function envelopeDifference(sent: string, own: string, presets: ReadonlySet<string>): string | undefined {
  const [was, is] = [bodyOf(sent), bodyOf(own)].map(childrenOf) as [XmlElement[], XmlElement[]];
  if (was.length !== is.length) return `${was.length} elements in the Body are ${is.length}`;
  for (const [index, each] of was.entries()) {
    const difference = differenceOf(each, is[index] as XmlElement, presets);
    if (difference !== undefined) return difference;
  }
  const blocks = headersOf(own);
  for (const each of headersOf(sent)) {
    if (ADDRESSING.test(each.namespace)) continue;
    const same = blocks.find(({ local, namespace }) => local === each.local && namespace === each.namespace);
    const difference =
      same === undefined ? `the header block ${each.local} is gone` : differenceOf(each, same, presets);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

const ADDRESSING = /\/addressing$/;
