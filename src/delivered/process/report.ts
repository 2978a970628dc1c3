import { Fault } from '../../model/fault.ts';
import type { DocumentValue } from '../../model/value.ts';
import { dispositionOf } from '../../wire/multipart/headers.ts';
import type { DeliveredHandler, DeliveredPorts } from '../port.ts';
import { requestAddress } from './address.ts';
import { operatorOf } from './operator.ts';

const instanceOf = ({ ProcessInstance }: DocumentValue): number => Number(ProcessInstance);

/** PRCS_GETREPORT: the number of a request's report, and where it is fetched from. Clients of the original name that number. */
export function processReport({ scheduler, base }: DeliveredPorts): DeliveredHandler {
  return {
    async onRequest(given, call) {
      const user = operatorOf(call);
      const { ContentId } = given;
      const instance = ContentId === undefined ? instanceOf(given) : await scheduler.reported(Number(ContentId));
      const { contentId } = await scheduler.report(instance, user).catch((error: unknown) => {
        // Who names a report by its number is not told of whose request it is.
        if (ContentId === undefined || !(error instanceof Fault)) throw error;
        throw Fault.of('NOT_FOUND', { what: `report ${ContentId}` });
      });
      const url = `${requestAddress(base(), call.operation, instance)}/report/content`;
      return { kind: 'value', value: { ContentID: contentId, ReportURL: url } };
    },
  };
}

/** PRCS_GETREPORT_FILE: the report itself. */
export function processReportFile({ scheduler }: DeliveredPorts): DeliveredHandler {
  return {
    async onRequest(given, call) {
      const { content } = await scheduler.report(instanceOf(given), operatorOf(call));
      const { contentType, length, name = 'report' } = content;
      const headers = { 'Content-Disposition': dispositionOf(name) };
      return { kind: 'bytes', bytes: { contentType, length, headers, stored: content, body: () => content.stream() } };
    },
  };
}
