import type { ReplyRoot } from '../../model/document.ts';
import { Fault } from '../../model/fault.ts';
import type { BlockOptions, QueryRun, QueryRuns, RunFormat } from '../../query/index.ts';
import {
  answering,
  type DeliveredCall,
  type DeliveredHandler,
  type DeliveredPorts,
  type ReplyForm,
  reply,
} from '../delivered-port.ts';
import { fileReply } from './execute.ts';
import { findQuery, lookForQuery, namedBy } from './find.ts';
import { fileUrl, formByJsonResp, rootOf, truncation } from './form.ts';

/** QAS_INSTANCE_REQ. */
interface InstanceRequest {
  readonly instanceid: string;
}

/** A run of the caller; `undefined` for a run of another caller. */
async function ownRun(runs: QueryRuns, call: DeliveredCall, id: string): Promise<QueryRun | undefined> {
  const run = await runs.find(id.toLowerCase());
  return run?.owner === (call.user?.id ?? '') ? run : undefined;
}

/** QAS_QUERYSTATUS_REST_GET, QAS_QUERYSTATUS_OPER: the state of a run. */
export function queryStatus({ runs }: DeliveredPorts): DeliveredHandler {
  return answering<InstanceRequest>(async ({ instanceid }, call, as) => {
    const run = await ownRun(runs, call, instanceid);
    const { columns = 0, rows = 0, blocks = 0, bytes = 0, truncated = false, message } = run ?? {};
    return reply({
      status: run?.state ?? 'idNotFound',
      ...(message === undefined ? {} : { message }),
      NumCols: columns,
      TotalRows: rows,
      TotalBlocks: blocks,
      TotalBytes: bytes,
      RowsTruncated: truncated ? 'Y' : 'N',
      // Over SOAP the shape of the original renames NumCols.
      ...(as === 'soap' ? {} : { NumColumns: columns }),
    });
  }, formByJsonResp);
}

/** QAS_CANCELQUERY_REST_GET and _DELETE, QAS_CANCELQUERY_OPER: stops a run of the caller. */
export function queryCancel({ runs }: DeliveredPorts): DeliveredHandler {
  return answering<InstanceRequest>(
    async ({ instanceid }, call) => reply({ status: await runs.cancel(instanceid.toLowerCase(), call.user?.id ?? '') }),
    formByJsonResp,
  );
}

/** QAS_BLOCK_REQ. */
interface BlockRequest {
  readonly instanceid: string;
  readonly blocknumber: number | bigint;
  readonly json_resp?: boolean;
}

/** QAS_GETQUERYRESULTS_REST_GET, QAS_GETQUERYRESULTS_OPER: the rows of a run, block by block. */
export function queryResults(ports: DeliveredPorts): DeliveredHandler {
  const { runs, base } = ports;
  return answering<BlockRequest>(async ({ instanceid, blocknumber, json_resp }, call, as) => {
    const run = await ownRun(runs, call, instanceid);
    if (run?.state !== 'success') return reply(unfinished(run));
    const query = await findQuery(ports, call, namedBy(run));
    const number = readNumber(run, blocknumber);
    const status = number === run.blocks ? 'finalBlockRetrieved' : 'blockRetrieved';
    if (run.file !== undefined) return reply(fileReply(fileUrl(base(), run.id, run.file), status, as), truncation(run));
    const format = blockFormat(run.format, json_resp, as);
    const form = { format, ...rootOf(call, format) };
    const block = await runs.block(run, query, number, form);
    // The run has expired since it was found.
    if (block === undefined) return reply(unfinished(undefined));
    const body = withStatus(Buffer.from(block.bytes), form, status);
    const headers = { 'Query-Status': status, ...truncation(run) };
    return { kind: 'bytes', bytes: { contentType: block.contentType, length: body.length, headers, body } };
  }, formByJsonResp);
}

/** The reply for a run without rows to return. Until it ends, the original knows it only as queued. */
function unfinished(run: QueryRun | undefined) {
  if (run === undefined) return { status: 'idNotFound' };
  const { state, message } = run;
  const status = state === 'running' || state === 'posting' ? 'queued' : state;
  return { status, ...(message === undefined ? {} : { message }) };
}

/** @throws Fault BAD_PARAMETER with the blocks that exist */
function readNumber({ blocks }: QueryRun, given: number | bigint): number {
  const number = Number(given);
  if (number >= 1 && number <= blocks) return number;
  const range = blocks === 1 ? 'there is only block 1' : `there are blocks 1 to ${blocks}`;
  throw Fault.of('BAD_PARAMETER', { name: 'blocknumber', reason: `is ${given}; ${range}` });
}

/** The format of the run; `json_resp` of this call decides between JSON and XML, and an envelope can't contain JSON. */
function blockFormat(entered: RunFormat, json: boolean | undefined, as: ReplyForm): RunFormat {
  if (entered !== 'json' && entered !== 'xmlp' && entered !== 'webrowset') return entered;
  if (json === true && as !== 'soap') return 'json';
  return entered === 'json' && (json === false || as === 'soap') ? 'xmlp' : entered;
}

const JSON_START = '{"status":"success"';

/** Writes the status to the document of a block; workbooks, pages and CSV have no place for it. */
function withStatus(bytes: Buffer, { format, root }: BlockOptions, status: string): Uint8Array {
  if (format === 'json')
    return Buffer.concat([Buffer.from(`{"status":"${status}"`), bytes.subarray(JSON_START.length)]);
  if (format !== 'xmlp' && format !== 'webrowset') return bytes;
  const end = bytes.lastIndexOf('</');
  return Buffer.concat([bytes.subarray(0, end), Buffer.from(statusElement(root, status)), bytes.subarray(end)]);
}

/** The status is the last element of a block: clients of the original look for it after the rows. */
function statusElement(root: ReplyRoot | undefined, status: string): string {
  if (root?.status !== undefined) {
    const { name, namespace } = root.status;
    return `<${name} xmlns="${namespace}"><status>${status}</status></${name}>`;
  }
  // The elements of the document have no namespace, whatever the namespace of the envelope's element.
  return `<status${(root?.namespace ?? '') === '' ? '' : ' xmlns=""'}>${status}</status>`;
}

/** QAS_FILE_REQ. */
interface FileRequest {
  readonly FileId: string;
  readonly FileName: string;
}

/** QAS_QUERYFILE_REST_GET: sends the file of a query that was run with FILE, to every caller that may run the query now. */
export function queryFile(ports: DeliveredPorts): DeliveredHandler {
  const { runs } = ports;
  return answering<FileRequest>(async ({ FileId, FileName }, call) => {
    const gone = Fault.of('NOT_FOUND', { what: `such file ${FileName}, or it is kept no longer` });
    const run = await runs.find(FileId);
    if (run === undefined || run.file !== FileName) throw gone;
    if (run.isPrivate && run.owner !== call.user?.id) throw gone;
    if ((await lookForQuery(ports, call, namedBy(run))) === undefined) throw gone;
    const blob = await runs.content(run);
    if (blob === undefined) throw gone;
    const { contentType, length } = blob;
    const headers = {
      // Names of queries are letters, digits and underscores: nothing to quote or to encode (RFC 6266).
      'Content-Disposition': `attachment; filename="${FileName}"`,
      ...truncation(run),
    };
    return { kind: 'bytes', bytes: { contentType, length, headers, stored: blob, body: () => blob.stream() } };
  });
}
