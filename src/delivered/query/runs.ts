import type { ReplyRoot } from '../../model/document.ts';
import { Fault } from '../../model/fault.ts';
import type { Outcome } from '../../model/handler.ts';
import type { BlockOptions, QueryRun, QueryRuns, RunFormat } from '../../query/index.ts';
import type { DeliveredCall, DeliveredHandler, DeliveredPorts, ReplyForm } from '../port.ts';
import { fileReply } from './execute.ts';
import { findQuery, lookForQuery, namedBy } from './find.ts';
import { fileUrl, formByJsonResp, rootOf, truncation } from './form.ts';

/** QAS_INSTANCE_REQ. */
interface InstanceRequest {
  readonly instanceid: string;
}

/** A run of the caller's own; those of others are not there for him. */
async function ownRun(runs: QueryRuns, call: DeliveredCall, id: string): Promise<QueryRun | undefined> {
  const run = await runs.find(id.toLowerCase());
  return run?.owner === (call.user?.id ?? '') ? run : undefined;
}

/** QAS_QUERYSTATUS_REST_GET, QAS_QUERYSTATUS_OPER: how a run goes. */
export function queryStatus({ runs }: DeliveredPorts): DeliveredHandler {
  return {
    async onRequest(given, call, as): Promise<Outcome> {
      const { instanceid } = given as unknown as InstanceRequest;
      const run = await ownRun(runs, call, instanceid);
      const { columns = 0, rows = 0, blocks = 0, bytes = 0, truncated = false, message } = run ?? {};
      const value = {
        status: run?.state ?? 'idNotFound',
        ...(message === undefined ? {} : { message }),
        NumCols: columns,
        TotalRows: rows,
        TotalBlocks: blocks,
        TotalBytes: bytes,
        RowsTruncated: truncated ? 'Y' : 'N',
        // Over SOAP the shape of the original has the name of its own.
        ...(as === 'soap' ? {} : { NumColumns: columns }),
      };
      return { kind: 'value', value };
    },
    formatOf: formByJsonResp,
  };
}

/** QAS_CANCELQUERY_REST_GET and _DELETE, QAS_CANCELQUERY_OPER: stops a run of the caller's. */
export function queryCancel({ runs }: DeliveredPorts): DeliveredHandler {
  return {
    async onRequest(given, call): Promise<Outcome> {
      const { instanceid } = given as unknown as InstanceRequest;
      return { kind: 'value', value: { status: await runs.cancel(instanceid.toLowerCase(), call.user?.id ?? '') } };
    },
    formatOf: formByJsonResp,
  };
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
  return {
    async onRequest(given, call, as): Promise<Outcome> {
      const { instanceid, blocknumber, json_resp } = given as unknown as BlockRequest;
      const run = await ownRun(runs, call, instanceid);
      if (run?.state !== 'success') return { kind: 'value', value: unfinished(run) };
      const query = await findQuery(ports, call, namedBy(run));
      const number = readNumber(run, blocknumber);
      const status = number === run.blocks ? 'finalBlockRetrieved' : 'blockRetrieved';
      if (run.file !== undefined) {
        const value = fileReply(fileUrl(base(), run.id, run.file), status, as);
        return { kind: 'value', value, headers: truncation(run) };
      }
      const format = blockFormat(run.format, json_resp, as);
      const form = { format, ...rootOf(call, format) };
      const block = await runs.block(run, query, number, form);
      // Between two looks at it, its time was over.
      if (block === undefined) return { kind: 'value', value: unfinished(undefined) };
      const body = withStatus(Buffer.from(block.bytes), form, status);
      const headers = { 'Query-Status': status, ...truncation(run) };
      return { kind: 'bytes', bytes: { contentType: block.contentType, length: body.length, headers, body } };
    },
    formatOf: formByJsonResp,
  };
}

/** A run that has no rows to return; the original knows no more than that it is queued while it is not over. */
function unfinished(run: QueryRun | undefined) {
  if (run === undefined) return { status: 'idNotFound' };
  const { state, message } = run;
  const status = state === 'running' || state === 'posting' ? 'queued' : state;
  return { status, ...(message === undefined ? {} : { message }) };
}

/** @throws Fault BAD_PARAMETER naming the blocks that there are */
function readNumber({ blocks }: QueryRun, given: number | bigint): number {
  const number = Number(given);
  if (number >= 1 && number <= blocks) return number;
  const range = blocks === 1 ? 'there is block 1 alone' : `there are blocks 1 to ${blocks}`;
  throw Fault.of('BAD_PARAMETER', { name: 'blocknumber', reason: `is ${given}; ${range}` });
}

/** What the run was entered for; `json_resp` of this call decides between JSON and XML, and an envelope holds no JSON. */
function blockFormat(entered: RunFormat, json: boolean | undefined, as: ReplyForm): RunFormat {
  if (entered !== 'json' && entered !== 'xmlp' && entered !== 'webrowset') return entered;
  if (json === true && as !== 'soap') return 'json';
  return entered === 'json' && (json === false || as === 'soap') ? 'xmlp' : entered;
}

const JSON_START = '{"status":"success"';

/** States in a block's document which block it is; a workbook, a page and CSV have no place for that. */
function withStatus(bytes: Buffer, { format, root }: BlockOptions, status: string): Uint8Array {
  if (format === 'json')
    return Buffer.concat([Buffer.from(`{"status":"${status}"`), bytes.subarray(JSON_START.length)]);
  if (format !== 'xmlp' && format !== 'webrowset') return bytes;
  const end = bytes.lastIndexOf('</');
  return Buffer.concat([bytes.subarray(0, end), Buffer.from(statusElement(root, status)), bytes.subarray(end)]);
}

/** The status is the last thing in a block: clients of the original look for it behind the rows. */
function statusElement(root: ReplyRoot | undefined, status: string): string {
  if (root?.status !== undefined) {
    const { name, namespace } = root.status;
    return `<${name} xmlns="${namespace}"><status>${status}</status></${name}>`;
  }
  // The elements of the document are in no namespace, whatever the one of the envelope's element.
  return `<status${(root?.namespace ?? '') === '' ? '' : ' xmlns=""'}>${status}</status>`;
}

/** QAS_FILE_REQ. */
interface FileRequest {
  readonly FileId: string;
  readonly FileName: string;
}

/** QAS_QUERYFILE_REST_GET: sends the file of a query that was run with FILE, to whoever may run the query now. */
export function queryFile(ports: DeliveredPorts): DeliveredHandler {
  const { runs } = ports;
  return {
    async onRequest(given, call): Promise<Outcome> {
      const { FileId, FileName } = given as unknown as FileRequest;
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
    },
  };
}
