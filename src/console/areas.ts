import { messagesArea } from '../messaging/console/messages.ts';
import { diagnosticsArea } from './areas/diagnostics.ts';
import { mapArea } from './areas/map/map.ts';
import { nodesArea } from './areas/nodes/nodes.ts';
import { overviewArea } from './areas/overview.ts';
import { processesArea } from './areas/processes/area.ts';
import { queriesArea } from './areas/queries.ts';
import { queuesArea } from './areas/queues.ts';
import { registryArea } from './areas/registry/registry.ts';
import { tryArea } from './areas/try/try.ts';
import { usersArea } from './areas/users/users.ts';
import type { Area } from './route.ts';

/** The areas of the console, in the order of its navigation. */
export const AREAS: readonly Area[] = [
  overviewArea,
  registryArea,
  tryArea,
  mapArea,
  messagesArea,
  processesArea,
  queriesArea,
  queuesArea,
  nodesArea,
  usersArea,
  diagnosticsArea,
];
