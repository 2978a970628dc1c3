import type { OriginalElement, OriginalRequest, OriginalShape } from '../model/original-shape.ts';

const XSI = 'http://www.w3.org/2001/XMLSchema-instance';

/** Fields of a request to run a process or a query, apart from what is run. */
const SCHEDULING = {
  RunControlId: 'RunControlId',
  ServerName: 'ServerName',
  RunDateTime: 'RunDateTime',
  TimeZone: 'TimeZone',
  Recurrence: 'Recurrence',
  OutputDestinationType: 'OutputDestinationType',
  OutputDestinationFormat: 'OutputDestinationFormat',
} as const;

/** The fields of a process request, which have the same names here. */
const REQUEST = leaves(
  Object.fromEntries(
    [
      'ProcessInstance',
      'ProcessName',
      'ProcessType',
      'RunControlID',
      'ServerNameRun',
      'OperatorID',
      'RequestDateTime',
      'RunDateTime',
      'BeginDateTime',
      'EndDateTime',
      'OutputDestinationType',
      'OutputDestinationFormat',
      'RunStatus',
      'DistributionStatus',
      'ContentId',
    ].map((name) => [name, name]),
  ),
);

const INSTANCE = leaves({ ProcessInstance: 'ProcessInstance' });

/** PROCESSREQUEST as the original documents it: the element is a verb, and its children have no namespace. */
export const processShapes: Readonly<Record<string, OriginalShape>> = {
  PRCS_GETPROCESSNAMES: shape(
    { verb: 'GetProcessNames', message: 'PRQ_GETPROCESSNAMES' },
    { fields: { ProcessType: 'ProcessType' } },
    [{ name: 'ProcessName', each: 'names', field: 'names' }],
  ),
  PRCS_SCHEDULE: shape(
    { verb: 'Schedule', message: 'PRQ_SCHEDULE' },
    {
      fields: { ...SCHEDULING, ProcessType: 'ProcessType', ProcessName: 'ProcessName' },
      without: {
        JobName: { values: [''], reason: 'is not supported: there are no jobs; name a process in ProcessName' },
      },
    },
    INSTANCE,
  ),
  PRCS_SCHEDULE_PSQUERY: shape(
    { verb: 'SchedulePSQuery', message: 'PRQ_SCHEDULE_PSQUERY' },
    {
      fields: { QueryName: 'ProcessName', ...SCHEDULING },
      entries: { Prompts: { list: 'parameters', fields: { PromptName: 'Name', PromptValue: 'Value' } } },
    },
    INSTANCE,
  ),
  PRCS_FINDREQUESTS: shape(
    { verb: 'FindRequests', message: 'PRQ_FINDREQUESTS' },
    {
      fields: {
        ProcessInstanceFrom: 'ProcessInstanceFrom',
        ProcessInstanceTo: 'ProcessInstanceTo',
        OperatorId: 'OperatorId',
        ProcessType: 'ProcessType',
        ProcessName: 'ProcessName',
        RunStatus: 'RunStatus',
        DistributionStatus: 'DistributionStatus',
        ProcessRequestCount: 'ProcessRequestCount',
      },
      without: {
        ServerRun: { values: [''], reason: 'is not supported: any gateway may run a request' },
        IsProcessCount: {
          values: ['', 'N', '0', 'FALSE'],
          reason: 'is not supported: requests are listed, not counted',
        },
      },
    },
    [{ name: 'ProcessRequest', each: 'requests', children: REQUEST }],
  ),
  PRCS_GETREQUEST: shape(
    { verb: 'GetRequest', message: 'PRQ_GETREQUEST' },
    { fields: { ProcessInstance: 'ProcessInstance' } },
    REQUEST,
  ),
  PRCS_UPDATEREQUEST: shape(
    { verb: 'UpdateProcessRequest', message: 'PRQ_UPDATEREQUEST' },
    { fields: { ProcessInstance: 'ProcessInstance', RunStatus: 'RunStatus' } },
    [{ name: 'RequestStatus', text: 'Success' }],
  ),
  PRCS_GETREPORT: shape(
    { verb: 'GetReport', message: 'PRQ_GETREPORT' },
    {
      fields: { ContentId: 'ContentId', ContentID: 'ContentId', ProcessInstance: 'ProcessInstance' },
      instead: { ContentId: 'ProcessInstance' },
    },
    [
      {
        name: 'Report',
        children: [
          leaf('ContentID', 'ContentID'),
          { name: 'ReportDetails', children: [leaf('ReportURL', 'ReportURL')] },
        ],
      },
    ],
  ),
};

/** @param verb the root element of the request; with the suffix `Response` that of the reply */
function shape(
  { verb, message }: { readonly verb: string; readonly message: string },
  request: Omit<OriginalRequest, 'roots' | 'around'>,
  children: readonly OriginalElement[],
): OriginalShape {
  return {
    versions: [1],
    request: { roots: [verb], around: [], ...request },
    reply(version) {
      const namespace = namespaceOf(`${message}_RES`, version);
      const location = `${namespace} ${message}_RES.VERSION_${version}.xsd`;
      const attributes = ` xmlns:p="${namespace}" xmlns:xsi="${XSI}" xsi:schemaLocation="${location}"`;
      return { root: { name: `p:${verb}Response`, attributes, children } };
    },
  };
}

/** The namespace of a message or of a part of one. */
export function namespaceOf(name: string, version: number): string {
  return `http://xmlns.oracle.com/Enterprise/Tools/schemas/${name}.VERSION_${version}`;
}

/** An element with the text of a field. @param given the field without which it is left out */
export function leaf(name: string, field: string, given?: string): OriginalElement {
  return { name, field, ...(given === undefined ? {} : { given }) };
}

/** Such elements in order, by their names; each is written even when its field is empty. */
export function leaves(fields: Readonly<Record<string, string>>): OriginalElement[] {
  return Object.entries(fields).map(([name, field]) => leaf(name, field));
}
