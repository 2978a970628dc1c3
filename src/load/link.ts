import type { Gateway } from '../model/gateway.ts';
import type { Registry } from '../model/registry.ts';
import type { Operation } from '../model/service.ts';
import { linkComponents } from './component/components.ts';
import { classFiles, linkRelatedContent } from './component/related-content.ts';
import { checkEndless, Documents } from './document/documents.ts';
import { DEFAULT_HANDLERS, linkGateway } from './gateway/gateway.ts';
import { checkCertificateSchemes } from './gateway/gateway-network.ts';
import { linkRoutings } from './gateway/routings.ts';
import { answeringFiles, checkHandlers, type WantedFile } from './handlers.ts';
import { byId, type Linking } from './linking.ts';
import { checkDomainNames } from './node/domain-names.ts';
import { linkNodes } from './node/nodes.ts';
import { checkOverlaps } from './operation/overlaps.ts';
import { checkElementNames } from './operation/soap-names.ts';
import { checkUriIndexes } from './operation/uri-index.ts';
import { linkProcesses, processFiles } from './process/processes.ts';
import { linkRecurrences } from './process/recurrences.ts';
import { checkDeliveredGrants, checkNodeNames } from './project-checks.ts';
import { linkDatasources } from './query/datasources.ts';
import { linkQueries } from './query/queries.ts';
import type { ProjectFiles } from './read/files.ts';
import type { GrantSources } from './security/grants.ts';
import { thingsByList } from './security/grants-by-list.ts';
import { linkCallers } from './security/requires.ts';
import { linkSchemes } from './security/schemes.ts';
import { linkPermissionLists, linkRoles, linkUsers } from './security/security.ts';
import { checkUsers } from './security/user-checks.ts';
import { linkServices } from './services.ts';

/** What linking knows beside the declarations. */
export interface LinkOptions {
  readonly files: ProjectFiles;
  /** Ids of the package's services that are switched on. */
  readonly delivered: readonly string[];
  /** Operations that were declared and can't be used. */
  readonly lost: ReadonlySet<string>;
  /** Every part of every file could be read, so that what it declares is known. */
  readonly whole: boolean;
  readonly handlers: 'check' | 'ignore-missing';
}

/** Declarations to a registry: references resolved, everything checked that needs no database. Undefined without a gateway. */
export function link(linking: Linking, options: LinkOptions): Registry | undefined {
  const documents = new Documents(linking);
  checkEndless(linking, documents.byId);
  const permissionLists = linkPermissionLists(linking);
  const roles = linkRoles(linking, permissionLists);
  const schemes = linkSchemes(linking, roles);
  const callers = linkCallers(linking, schemes);
  const gateway = linkGateway(linking, options.delivered, permissionLists, callers);
  const users = linkUsers(linking, roles);
  const nodes = byId(linkNodes(linking));
  const datasources = linkDatasources(linking);
  const granting = (kind: 'query' | 'process' | 'component'): GrantSources => {
    return { lists: permissionLists, added: thingsByList(linking, permissionLists, kind) };
  };
  const queries = byId(linkQueries(documents, granting('query'), datasources));
  const relatedContent = byId(linkRelatedContent(linking, { lists: permissionLists, added: new Map() }));
  const components = byId(linkComponents(documents, relatedContent, granting('component')));
  const recurrences = byId(linkRecurrences(linking));
  const processes = byId(linkProcesses(documents, { grants: granting('process'), queries, recurrences, users }));
  const context = { documents, queries, components, nodes, lists: permissionLists, roles, callers };
  const { services, operations, consumers, flows } = linkServices(context, options.lost);
  // What can't be used may be the call that makes a default.
  if (options.lost.size === 0 && !linking.declared.anySetAside('service'))
    for (const refuse of linking.misfits.values()) refuse();
  const routings = linkRoutings(linking, { operations, consumers, lost: options.lost }, gateway?.id ?? '');
  checkNodeNames(linking, services);
  checkOverlaps(linking, services);
  checkDeliveredGrants(linking, gateway, services);
  checkCertificateSchemes(linking, gateway, schemes.values());
  checkUsers(linking, users, { schemes: schemes.values(), processes: processes.values() });
  checkDomainNames(linking, consumers, options.lost);
  checkUriIndexes(linking, operations, consumers, options.files.committed);
  const code = [
    ...answeringFiles(linking, operations.values()),
    ...processFiles(linking, processes.values()),
    ...classFiles(linking, relatedContent.values()),
  ];
  checkHandlerFiles(linking, code, gateway, options);
  if (gateway === undefined) return undefined;
  checkElementNames(linking, services, gateway.namespace);
  return {
    gateway,
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
    permissionLists,
    roles,
    users,
    routings,
  };
}

function checkHandlerFiles(
  linking: Linking,
  code: readonly WantedFile[],
  gateway: Gateway | undefined,
  options: LinkOptions,
): void {
  const { files, handlers, whole, lost } = options;
  const { declared, incomplete } = linking;
  // A gateway that can't be used, or not all of it, may have named another folder.
  if (gateway === undefined ? declared.anySetAside('gateway') : incomplete.has(gateway)) return;
  const folder = gateway?.handlers ?? DEFAULT_HANDLERS;
  const missing = handlers === 'check';
  const orphans =
    whole &&
    lost.size === 0 &&
    !(['service', 'process', 'related-content'] as const).some((kind) => declared.anySetAside(kind));
  checkHandlers(linking, code, { folder, names: files.handlers(folder), missing, orphans });
}
