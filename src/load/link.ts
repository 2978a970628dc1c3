import type { Gateway } from '../model/gateway.ts';
import type { Registry } from '../model/registry.ts';
import type { Operation } from '../model/service.ts';
import { readCommitted } from './committed.ts';
import { linkComponents } from './component/components.ts';
import { classFiles, linkRelatedContent } from './component/related-content.ts';
import { checkDeliveredGrants } from './delivered.ts';
import { checkEndless, Documents } from './document/documents.ts';
import { checkDomainNames } from './gateway/domain-names.ts';
import { linkGateway } from './gateway/gateway.ts';
import { checkCertificateSchemes } from './gateway/network.ts';
import { answeringFiles, checkHandlers, type HandlerOptions } from './handlers.ts';
import { byId, type Linking } from './linking.ts';
import { checkNodeNames } from './node/node-names.ts';
import { linkNodes } from './node/nodes.ts';
import { checkCodeNames } from './operation/code-names.ts';
import { checkOverlaps } from './operation/overlaps.ts';
import { checkElementNames } from './operation/soap-names.ts';
import { checkUriIndexes } from './operation/uri-index.ts';
import { linkProcesses, processFiles } from './process/processes.ts';
import { linkRecurrences } from './process/recurrences.ts';
import { linkDatasources } from './query/datasources.ts';
import { linkQueries } from './query/queries.ts';
import type { ProjectFiles } from './read/files.ts';
import { linkRoutings } from './routing/routings.ts';
import type { GrantSources } from './security/grants.ts';
import { thingsByList } from './security/grants-by-list.ts';
import { linkCallers } from './security/requires.ts';
import { linkSchemes } from './security/schemes.ts';
import { linkPermissionLists, linkRoles, linkUsers } from './security/security.ts';
import { checkUsers } from './security/user-checks.ts';
import { linkServices } from './service/services.ts';

/** What linking knows beside the declarations. */
export interface LinkOptions extends HandlerOptions {
  readonly files: ProjectFiles;
  /** Ids of the package's services that are switched on. */
  readonly delivered: readonly string[];
}

/** Declarations to a registry: references resolved, everything checked that needs no database. Undefined without a gateway. */
export function link(linking: Linking, options: LinkOptions): Registry | undefined {
  const { lost } = options;
  const documents = new Documents(linking);
  checkEndless(linking, documents.byId);
  const lists = linkPermissionLists(linking);
  const roles = linkRoles(linking, lists);
  const schemes = linkSchemes(linking, roles);
  const callers = linkCallers(linking, schemes);
  const gateway = linkGateway(linking, options.delivered, lists, callers);
  const users = linkUsers(linking, roles);
  const nodes = linkNodes(linking);
  const datasources = linkDatasources(linking);
  const granting = (kind: 'query' | 'process' | 'component'): GrantSources => {
    return { lists, added: thingsByList(linking, lists, kind) };
  };
  const queries = linkQueries(documents, granting('query'), datasources);
  const relatedContent = linkRelatedContent(linking, { lists, added: new Map() });
  const components = linkComponents(documents, relatedContent, granting('component'));
  const recurrences = linkRecurrences(linking);
  const processes = linkProcesses(documents, { grants: granting('process'), queries, recurrences, users });
  const committed = readCommitted(options.files.committed);
  const context = { documents, queries, components, nodes, lists, roles, callers, committed };
  const { services, operations, consumers, flows, overrides } = linkServices(context, lost);
  const routings = linkRoutings(linking, { operations, consumers, overrides }, gateway?.id ?? '');
  const parts: Parts = {
    nodes,
    services: byId(services),
    operations: byId<Operation>(operations.values()),
    consumers: byId(consumers.values()),
    flows: byId(flows.values()),
    documents: byId(documents.byId.values()),
    datasources,
    queries,
    components,
    relatedContent,
    processes,
    recurrences,
    schemes,
    permissionLists: lists,
    roles,
    users,
    routings,
  };
  checkTogether(linking, gateway, parts, committed, options);
  return gateway && { gateway, ...parts };
}

/** A registry whose gateway may not be known. */
type Parts = Omit<Registry, 'gateway'>;

/** Holds definitions against each other, where that takes more than looking one up. */
function checkTogether(
  linking: Linking,
  gateway: Gateway | undefined,
  parts: Parts,
  committed: ReturnType<typeof readCommitted>,
  options: LinkOptions,
): void {
  const { services, operations, consumers, schemes, users, processes, relatedContent } = parts;
  // What can't be used may be the call that makes a default.
  if (options.lost.size === 0 && !linking.declared.anySetAside('service'))
    for (const refuse of linking.misfits.values()) refuse();
  checkNodeNames(linking, services.values());
  checkOverlaps(linking, services.values());
  checkDeliveredGrants(linking, gateway, services.values());
  checkCertificateSchemes(linking, gateway, schemes.values());
  checkUsers(linking, users, { schemes: schemes.values(), processes: processes.values() });
  checkDomainNames(linking, consumers, options.lost);
  checkUriIndexes(linking, [...operations.values(), ...consumers.values()], committed);
  if (gateway !== undefined) {
    checkElementNames(linking, services.values(), gateway.namespace);
    checkCodeNames(linking, services.values(), gateway.namespace);
  }
  const code = [
    ...answeringFiles(linking, operations.values()),
    ...processFiles(linking, processes.values()),
    ...classFiles(linking, relatedContent.values()),
  ];
  checkHandlers(linking, code, gateway, options);
}
