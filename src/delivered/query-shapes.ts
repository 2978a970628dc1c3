import type { OriginalElement, OriginalReply, OriginalRequest, OriginalShape } from '../model/original-shape.ts';
import { leaf, leaves, namespaceOf } from './shapes.ts';

/**
 * QAS_QRY_SERVICE as public clients of the original use it. There are three families: requests and replies with records,
 * execution requests, whose fields have no namespace, and the two operations on saved queries, whose replies have no records.
 */
export const queryShapes: Readonly<Record<string, OriginalShape>> = {
  QAS_EXECUTEQRYSYNC_OPER: {
    versions: [1],
    request: execution('QAS_EXEQRY_SYNC_REQ', 'QAS_EXEQRYSYNC_REQ'),
    reply: (version) => results(version, [leaf('status', 'status', 'status')]),
  },
  QAS_EXECUTEQRYSYNCPOLL_OPER: {
    versions: [1],
    request: execution('QAS_EXEQRY_SYNCPOLL_REQ', 'QAS_EXEQRYSYNCPOLL_REQ'),
    reply: records('QAS_EXEQRYSYNCPOLL_RESP', 'PTQASWRK', leaves({ QueryInstance: 'QueryInstance' })),
  },
  QAS_GETQUERYRESULTS_OPER: {
    versions: [1, 2],
    request: {
      ...recorded('QAS_GETQUERYRESULTS_REQ'),
      fields: { QueryInstance: 'instanceid', QueryInstanceID: 'instanceid', BlockNumber: 'blocknumber' },
    },
    reply(version) {
      const status = statusElement(version);
      return {
        ...results(version, [{ ...status, children: [leaf('status', 'status')] }]),
        rows: rowsOf(version, true),
      };
    },
  },
  QAS_QUERYSTATUS_OPER: {
    aliases: ['QAS_QUERYSTATUS'],
    versions: [1],
    request: {
      ...recorded('QAS_QUERYSTATUS_REQ'),
      fields: { QueryInstanceID: 'instanceid', QueryInstance: 'instanceid' },
    },
    reply: records(
      'QAS_QUERYSTATUS_RESP',
      'PTQASSTATWRK',
      leaves({
        Status: 'status',
        NumColumns: 'NumCols',
        TotalBlocks: 'TotalBlocks',
        TotalBytes: 'TotalBytes',
        TotalRows: 'TotalRows',
      }),
    ),
  },
  QAS_CANCELQUERY_OPER: {
    versions: [1],
    request: {
      ...recorded('QAS_CANCELQUERY_REQ'),
      fields: { QueryInstanceID: 'instanceid', QueryInstance: 'instanceid' },
    },
    reply: records('QAS_CANCELQUERY_RESP', 'PTQASSTATWRK', leaves({ Status: 'status' })),
  },
  QAS_LISTQUERY_OPER: {
    versions: [1],
    request: {
      ...recorded('QAS_LISTQUERY_REQ'),
      fields: {
        SearchString: 'search',
        OwnerType: 'OwnerType',
        MaxRows: 'maxrows',
        MaxRow: 'maxrows',
        isConnectedQry: 'isconnectedquery',
        isConnectedQuery: 'isconnectedquery',
      },
      defaults: { OwnerType: 'PUBLIC' },
    },
    reply: records(
      'QAS_LISTQUERY_RESP',
      'PTQASWRK',
      leaves({ QueryName: 'QueryName', Description: 'Descr', OwnerType: 'OwnerType' }),
      'queries',
    ),
  },
  QAS_LISTQUERYFIELDS_OPER: {
    versions: [1],
    request: described('QAS_LISTQUERYFIELDS_REQ'),
    reply: records(
      'QAS_LISTQUERYFIELDS_RESP',
      'PTQASWRK',
      leaves({
        ColumnNumber: 'ColumnNumber',
        FieldName: 'FieldName',
        FieldType: 'FieldType',
        FieldLength: 'FieldLength',
        FieldDecimal: 'FieldDecimal',
        HeadingText: 'HeadingText',
        UniqueFieldName: 'UniqueFieldName',
      }),
      'fields',
    ),
  },
  QAS_LISTQUERYPROMPTS_OPER: {
    versions: [1],
    request: described('QAS_LISTQUERYPROMPTS_REQ'),
    reply: records(
      'QAS_LISTQUERYPROMPTS_RESP',
      'PTQASWRK',
      leaves({
        QueryName: 'QueryName',
        FieldName: 'FieldName',
        HeadingText: 'HeadingText',
        FieldType: 'FieldType',
        FieldLength: 'FieldLength',
        UniquePromptName: 'UniquePromptName',
      }),
      'prompts',
    ),
  },
  QAS_SAVE_QUERY_OPER: {
    versions: [1],
    request: {
      roots: ['QAS_QUERY_SAVE_REQ_MSG', 'QAS_SAVE_QUERY_REQ_MSG'],
      around: [],
      fields: { Definition: 'Definition' },
      without: {
        RECORD: {
          values: [],
          reason: 'is not supported: a saved query is SQL with its columns, in the element Definition',
        },
        FIELD: {
          values: [],
          reason: 'is not supported: a saved query is SQL with its columns, in the element Definition',
        },
      },
    },
    reply: outcome('QAS_QUERY_SAVE_RESP_MSG'),
  },
  QAS_QUERY_DELETE_OPER: {
    versions: [1],
    request: { roots: ['QAS_QUERY_DELETE_REQ_MSG'], around: [], fields: { QUERY_NAME: 'QUERY_NAME' } },
    reply: outcome('QAS_QUERY_DELETE_RESP_MSG'),
  },
};

/** Requests that are posted over REST. Both have the root of an execution that is not polled. */
export const queryBodies: Readonly<Record<string, OriginalRequest>> = {
  QAS_EXECUTEADHOCQUERY_REST_POST: execution('QAS_EXEQRY_SYNC_REQ', 'QAS_EXEQRYSYNC_REQ'),
  QAS_EXECUTEADHOCQUERYPOLL_REST_POST: execution(
    'QAS_EXEQRY_SYNC_REQ',
    'QAS_EXEQRYSYNC_REQ',
    'QAS_EXEQRY_SYNCPOLL_REQ',
    'QAS_EXEQRYSYNCPOLL_REQ',
  ),
};

/** An execution request. @param parts names of the element below the root, which has the same name with `_MSG` */
function execution(...parts: readonly string[]): OriginalRequest {
  return {
    roots: parts.map((part) => `${part}_MSG`),
    around: [...parts, 'Prompts', 'FieldsFilter'],
    fields: {
      QueryName: 'QueryName',
      isConnectedQuery: 'isconnectedquery',
      OwnerType: 'OwnerType',
      MaxRow: 'maxrows',
      MaxRows: 'maxrows',
      OutResultType: 'OutResultType',
      OutResultFormat: 'OutResultFormat',
      FilterFieldName: 'filterfields',
    },
    entries: {
      PROMPT: {
        fields: {
          PSQueryName: 'prompt_psqueryname',
          UniquePromptName: 'prompt_uniquepromptname',
          FieldValue: 'prompt_fieldvalue',
        },
      },
    },
    defaults: { OwnerType: 'PUBLIC' },
    without: {
      // The gateway decides the size of blocks.
      BlockSizeKB: { values: 'any', reason: '' },
      StartRow: { values: ['', '0', '1'], reason: 'is not supported: a result begins with its first row' },
      XMLString: { values: [''], reason: 'is not supported: name a stored query in QueryName' },
    },
  };
}

/** A request whose fields are in a record. */
function recorded(part: string): Omit<OriginalRequest, 'fields'> {
  return { roots: [`${part}_MSG`], around: [part, 'PTQASWRK', 'PTQASSTATWRK'] };
}

/** A request that names a query. */
function described(part: string): OriginalRequest {
  return {
    ...recorded(part),
    fields: {
      QueryName: 'QueryName',
      OwnerType: 'OwnerType',
      isConnectedQuery: 'isconnectedquery',
      isConnectedQry: 'isconnectedquery',
    },
    defaults: { OwnerType: 'PUBLIC' },
  };
}

/**
 * A reply with a record. Message and part are in the namespace of the message, the record is in that of the part.
 * @param each the list with one part per entry; `undefined` for a single part
 */
function records(
  part: string,
  record: string,
  children: readonly OriginalElement[],
  each?: string,
): (version: number) => OriginalReply {
  return (version) => ({
    root: {
      name: `${part}_MSG`,
      namespace: namespaceOf(`${part}_MSG`, version),
      children: [
        {
          name: part,
          ...(each === undefined ? {} : { each }),
          children: [{ name: record, namespace: namespaceOf(part, version), attributes: ' class="R"', children }],
        },
      ],
    },
  });
}

/** The root of every result. Besides rows it holds the address of a file, content that is not XML, and the status. */
function results(version: number, status: readonly OriginalElement[]): OriginalReply {
  return {
    root: {
      name: 'QAS_GETQUERYRESULTS_RESP_MSG',
      namespace: namespaceOf('QAS_GETQUERYRESULTS_RESP_MSG', version),
      children: [leaf('content', 'content', 'content'), leaf('FILEURL', 'FILEURL', 'FILEURL'), ...status],
    },
    rows: rowsOf(version, false),
  };
}

/** Rows in XML keep the namespace of version 1, whatever the version of the message. */
function rowsOf(version: number, isPolled: boolean): NonNullable<OriginalReply['rows']> {
  const rows = namespaceOf('QAS_QUERYRESULTS_XMLP_RESP', 1);
  return isPolled ? { rows, status: statusElement(version) } : { rows };
}

function statusElement(version: number): { readonly name: string; readonly namespace: string } {
  const name = 'QAS_QUERYRESULTS_STATUS_RESP';
  return { name, namespace: namespaceOf(name, version) };
}

/** The reply to a change of a saved query. */
function outcome(name: string): (version: number) => OriginalReply {
  return (version) => ({
    root: {
      name,
      namespace: namespaceOf(name, version),
      children: [{ name: 'STATUS', namespace: '', text: 'Success' }],
    },
  });
}
