import { FLEET } from '../mock/project.ts';
import { gatewayText } from '../support/project.ts';

/** The fleet with a table, handlers, and a process that orders parts at the store. */
export const WORKSHOP: Readonly<Record<string, string>> = {
  ...FLEET,
  'definitions/gateway.yaml': gatewayText(
    'requires: basic\nsample-data: sample/*.sql\ndelivered: [PROCESSREQUEST.v1]\ntimezone: UTC',
  ),
  'definitions/users.yaml': `permission-list: EVERYTHING
operations: [PROCESSREQUEST.*]
---
role: ALL
permission-lists: [EVERYTHING]
---
user: ada
password: $scrypt$ln=14,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$AuMcxQgRFHdYh6Wtyp4w7rjK3eAMTnKXPSzeLdLqyjQ
roles: [ALL]
`,
  'definitions/sample/fleet.sql': `create table fleet (plate varchar(10) primary key, seats integer);
insert into fleet values ('M AB 1', 5);
`,
  'definitions/seats.yaml': `query: SEATS
permission: EVERYTHING
prompts: { PLATE: string(10) }
columns: { SEATS: integer }
sql: select seats from fleet where plate = :PLATE
---
process: ORDER_PARTS
type: Application Engine
permission: EVERYTHING
parameters: { NUMBER: { type: integer, required: true } }
retry: { attempts: 2, first: 10 m, longest: 10 m }
---
recurrence: NIGHTLY
cron: "0 3 * * *"
`,
  'src/handlers/vehicle-get.ts': `export default {
  async onRequest({ PLATE }, context) {
    const [row] = await context.query('SEATS', { PLATE });
    const part = await context.call('PART_GET', { NUMBER: 1 });
    context.log('info', 'Looked for ' + PLATE);
    return { PLATE, STATUS: 'ready', SEATS: row?.SEATS ?? 2, NOTES: [{ TEXT: part.value.NAME }] };
  },
};
`,
  'src/handlers/vehicles-get.ts': `export default {
  onRequest: ({ status }) => [{ PLATE: status, STATUS: 'ready', SEATS: 2 }],
};
`,
  'src/handlers/vehicle-count.ts': 'export default { onRequest: () => 1 };\n',
  'src/handlers/sold.ts': 'export default { onMessage() {} };\n',
  'src/handlers/order-parts.ts': `export default {
  async run({ NUMBER }, context) {
    await context.call('PART_ORDER', { NUMBER, COUNT: 1, KEY: String(context.instance) });
  },
};
`,
};

/** The types that \`signalbox generate\` writes for the handlers of the fleet. */
export interface Handlers {
  VEHICLE_GET: {
    onRequest(
      request: { readonly PLATE: string },
      context: never,
    ): Promise<{ PLATE: string; STATUS: string; SEATS: number; NOTES?: readonly { TEXT?: string }[] }>;
  };
}
