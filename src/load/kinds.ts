import type { KindWord } from '../kinds/kinds.ts';
import { checkMessageQueues, linkMessageQueues, linkSubscriptions, subscriptionFiles } from '../messaging/link/link.ts';
import { afterSaveFiles, checkPublications, linkPublications } from '../messaging/link/publication.ts';
import { checkPublicationCircles } from '../messaging/link/publication-circle.ts';
import { checkReplies } from '../messaging/link/queue-answer.ts';
import { replySubscriptions } from '../messaging/link/reply-to.ts';
import type { Component } from '../model/component.ts';
import type { Migrations } from '../model/gateway.ts';
import type { Registry } from '../model/registry.ts';
import type { Operation } from '../model/service.ts';
import { checkUriIndexes, type readCommitted } from './committed.ts';
import { classFiles, linkComponents, linkRelatedContent } from './component.ts';
import { checkAttributes, Documents } from './document/documents.ts';
import { checkEndless } from './document/endless.ts';
import { checkParticles } from './document/particles.ts';
import type { Calls } from './flow/calls.ts';
import { checkCertificateSchemes, checkDeliveredGrants, checkDomainNames, linkGateway } from './gateway.ts';
import { answeringFiles, type WantedFile } from './handlers.ts';
import { byId, type Linking } from './linking.ts';
import { linkMigrations } from './migrations.ts';
import { checkNodeNames, linkNodes } from './node.ts';
import type { Mutable } from './object.ts';
import { checkCodeNames, checkElementNames, checkOverlaps } from './operation/collisions.ts';
import { linkProcesses, linkRecurrences, processFiles } from './process.ts';
import { linkDatasources } from './query/datasource.ts';
import { linkQueries } from './query/queries.ts';
import type { ProjectFiles } from './read/files.ts';
import { linkRoutings, type RoutingOverride } from './routing.ts';
import { type GrantedKind, type GrantSources, thingsByList } from './security/grants.ts';
import { type Callers, linkCallers } from './security/requirements.ts';
import { linkSchemes } from './security/schemes.ts';
import { checkUsers, linkPermissionLists, linkRoles, linkUsers } from './security/users.ts';
import { linkServices } from './services.ts';
import { linkSimpleTypes } from './simple-type.ts';
import { settleTypeNames } from './type-names.ts';

/** What linking begins with. */
export interface LinkInput {
  readonly linking: Linking;
  readonly files: ProjectFiles;
  /** Ids of the enabled services of the package. */
  readonly delivered: readonly string[];
  /** The operations of the committed registry. */
  readonly committed: ReturnType<typeof readCommitted>;
}

/** What linking makes: the members of the registry, whose gateway may be missing, and what linkers alone use. */
export interface Linked extends Omit<Registry, 'gateway' | 'documents' | 'operations' | 'components'> {
  readonly gateway: Registry['gateway'] | undefined;
  readonly migrations: Migrations | undefined;
  readonly documents: Documents;
  /** A routing may still disable them. */
  readonly operations: ReadonlyMap<string, Mutable<Operation>>;
  /** What they publish is linked with the operations. */
  readonly components: ReadonlyMap<string, Mutable<Component>>;
  readonly callers: Callers;
  /** What `call:` may refer to, the flows among it. */
  readonly calls: Calls;
  /** Routings that override those of operations, by operation id. */
  readonly overrides: ReadonlyMap<string, RoutingOverride>;
}

/** How the definitions of a kind become members of the registry. */
interface LinkedKind<N extends keyof Linked, G extends keyof Linked> {
  /** What is linked before, because these definitions refer to it. */
  readonly needs: readonly N[];
  readonly gives: readonly G[];
  readonly link: (needed: Pick<Linked, N>, input: LinkInput) => Pick<Linked, G>;
  /** Checks that involve several definitions, once everything is linked. */
  readonly check?: (all: Linked, linking: Linking, input: LinkInput) => void;
  /** The files of code that the definitions name. */
  readonly code?: (all: Linked, linking: Linking) => readonly WantedFile[];
}

const linked = <const N extends keyof Linked, const G extends keyof Linked>(kind: LinkedKind<N, G>): LinkedKind<N, G> =>
  kind;

/** The grants of things of a kind: by their own `permission`, and by lists that name them. */
const granted = (
  linking: Linking,
  { permissionLists: lists }: Pick<Linked, 'permissionLists'>,
  kind: GrantedKind,
): GrantSources => ({ lists, added: thingsByList(linking, lists, kind) });

/** How each kind is linked. Kinds whose needs are met are linked in this order. */
const LINKED = {
  type: linked({
    needs: [],
    gives: ['types'],
    link: (_, { linking }) => ({ types: linkSimpleTypes(linking) }),
  }),
  document: linked({
    needs: ['types'],
    gives: ['documents'],
    link: (_, { linking }) => {
      const documents = new Documents(linking);
      checkEndless(linking, documents.byId);
      checkAttributes(linking, documents.byId);
      checkParticles(linking, documents.byId);
      return { documents };
    },
  }),
  'permission-list': linked({
    needs: [],
    gives: ['permissionLists'],
    link: (_, { linking }) => ({ permissionLists: linkPermissionLists(linking) }),
  }),
  role: linked({
    needs: ['permissionLists'],
    gives: ['roles'],
    link: ({ permissionLists }, { linking }) => ({ roles: linkRoles(linking, permissionLists) }),
  }),
  scheme: linked({
    needs: ['roles'],
    gives: ['schemes', 'callers'],
    link: ({ roles }, { linking }) => {
      const schemes = linkSchemes(linking, roles);
      return { schemes, callers: linkCallers(linking, schemes) };
    },
    check: ({ gateway, schemes }, linking) => checkCertificateSchemes(linking, gateway, schemes.values()),
  }),
  gateway: linked({
    needs: ['types', 'permissionLists', 'callers'],
    gives: ['gateway', 'migrations'],
    link: ({ permissionLists, callers }, { linking, delivered, files }) => ({
      gateway: linkGateway(linking, delivered, permissionLists, callers),
      migrations: linkMigrations(linking, files),
    }),
    check: ({ gateway, services, consumers }, linking) => {
      checkDeliveredGrants(linking, gateway, services.values());
      checkDomainNames(linking, consumers);
    },
  }),
  user: linked({
    needs: ['roles'],
    gives: ['users'],
    link: ({ roles }, { linking }) => ({ users: linkUsers(linking, roles) }),
    check: ({ users, schemes, processes }, linking) =>
      checkUsers(linking, users, { schemes: schemes.values(), processes: processes.values() }),
  }),
  node: linked({
    needs: [],
    gives: ['nodes'],
    link: (_, { linking }) => ({ nodes: linkNodes(linking) }),
    check: ({ services }, linking) => checkNodeNames(linking, services.values()),
  }),
  datasource: linked({
    needs: [],
    gives: ['datasources'],
    link: (_, { linking }) => ({ datasources: linkDatasources(linking) }),
  }),
  query: linked({
    needs: ['documents', 'permissionLists', 'datasources'],
    gives: ['queries'],
    link: (needed, { linking }) => ({
      queries: linkQueries(needed.documents, granted(linking, needed, 'query'), needed.datasources),
    }),
  }),
  'related-content': linked({
    needs: ['permissionLists'],
    gives: ['relatedContent'],
    link: ({ permissionLists }, { linking }) => ({
      relatedContent: linkRelatedContent(linking, { lists: permissionLists, added: new Map() }),
    }),
    code: ({ relatedContent }, linking) => classFiles(linking, relatedContent.values()),
  }),
  component: linked({
    needs: ['documents', 'relatedContent', 'roles', 'permissionLists'],
    gives: ['components'],
    link: (needed, { linking }) => {
      const { documents, relatedContent, roles } = needed;
      return { components: linkComponents(documents, relatedContent, roles, granted(linking, needed, 'component')) };
    },
    check: ({ components }, linking) => checkPublications(linking, components.values()),
    code: (_, linking) => afterSaveFiles(linking),
  }),
  recurrence: linked({
    needs: [],
    gives: ['recurrences'],
    link: (_, { linking }) => ({ recurrences: linkRecurrences(linking) }),
  }),
  process: linked({
    needs: ['documents', 'permissionLists', 'queries', 'recurrences', 'users'],
    gives: ['processes'],
    link: (needed, { linking }) => ({
      processes: linkProcesses(needed.documents, { ...needed, grants: granted(linking, needed, 'process') }),
    }),
    code: ({ processes }, linking) => processFiles(linking, processes.values()),
  }),
  queue: linked({
    needs: ['gateway'],
    gives: ['messageQueues'],
    link: ({ gateway }, { linking }) => ({ messageQueues: linkMessageQueues(linking, gateway) }),
    check: (all, linking) => checkMessageQueues(linking, all),
  }),
  service: linked({
    needs: ['documents', 'queries', 'components', 'messageQueues', 'nodes', 'permissionLists', 'roles', 'callers'],
    gives: ['services', 'operations', 'consumers', 'flows', 'calls', 'overrides'],
    link: ({ permissionLists: lists, ...needed }, { committed }) => {
      const { services, operations, consumers, calls, overrides } = linkServices({ ...needed, lists, committed });
      settleTypeNames([...operations.values(), ...consumers.values()]);
      linkPublications(needed.documents.linking, { ...needed, operations, calls });
      return {
        ...{ services: byId(services), operations: byId<Mutable<Operation>>(operations.values()) },
        ...{ consumers: byId(consumers.values()), flows: byId(calls.flows.values()), calls, overrides },
      };
    },
    check: (all, linking, { committed }) => {
      const { gateway, services, operations, consumers } = all;
      checkOverlaps(linking, services.values());
      checkReplies(linking, all);
      checkUriIndexes(linking, [...operations.values(), ...consumers.values()], committed);
      if (gateway === undefined) return;
      checkElementNames(linking, services.values(), gateway.namespace);
      checkCodeNames(linking, services.values(), gateway.namespace);
    },
    code: ({ operations }, linking) => answeringFiles(linking, operations.values()),
  }),
  subscription: linked({
    needs: ['operations', 'calls', 'roles'],
    gives: ['subscriptions'],
    link: (needed, { linking }) => ({
      subscriptions: byId([
        ...linkSubscriptions(linking, needed).values(),
        ...replySubscriptions(needed.operations.values()),
      ]),
    }),
    check: (all, linking) => {
      if (all.gateway !== undefined) checkPublicationCircles(linking, all.gateway, all);
    },
    code: ({ subscriptions }, linking) => subscriptionFiles(linking, subscriptions.values()),
  }),
  routing: linked({
    needs: ['operations', 'consumers', 'overrides', 'gateway'],
    gives: ['routings'],
    link: ({ gateway, ...needed }, { linking }) => ({ routings: linkRoutings(linking, needed, gateway?.id ?? '') }),
  }),
} satisfies { readonly [K in KindWord]: { readonly gives: readonly (keyof Linked)[] } };

/** All kinds. Each gets only what it needs, which this type no longer says. */
const ALL = Object.values(LINKED) as unknown as readonly LinkedKind<keyof Linked, keyof Linked>[];

/** Links all definitions: each kind after those that it needs. */
export function linkKinds(input: LinkInput): Linked {
  const made: Partial<Linked> = {};
  let waiting = ALL;
  while (waiting.length > 0) {
    const next = waiting.find(({ needs }) => needs.every((name) => name in made));
    if (next === undefined)
      throw new Error(`kinds need each other: ${waiting.flatMap(({ gives }) => gives).join(', ')}`);
    Object.assign(made, next.link(made as Linked, input));
    waiting = waiting.filter((each) => each !== next);
  }
  return made as Pick<Linked, Given>;
}

/** All members of {@link Linked}: one that no kind gives does not compile. */
type Given = (typeof LINKED)[KindWord]['gives'][number];

/** Checks what involves several definitions. */
export function checkKinds(all: Linked, input: LinkInput): void {
  for (const { check } of ALL) check?.(all, input.linking, input);
}

/** The files of code that all definitions name. */
export const codeOfKinds = (all: Linked, linking: Linking): WantedFile[] =>
  ALL.flatMap(({ code }) => code?.(all, linking) ?? []);
