import { Fault } from '../../model/fault.ts';
import type { Outcome } from '../../model/handler.ts';
import type { DeliveredHandler, DeliveredPorts } from '../port.ts';
import { lookForQuery, namedBy } from './find.ts';
import { truncation } from './form.ts';

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
