// Web Application Description Language (W3C Member Submission, 31 August 2009).
import type { Registry } from '../../model/registry.ts';
import type { Operation, Service } from '../../model/service.ts';
import { buildXml, element, type XmlElement } from '../../wire/xml/build.ts';
import { faultMeanings } from '../faults.ts';
import { ncName } from '../names.ts';
import { restScopeOf, type Scope, segmentOf } from '../scope.ts';
import { type DescribedUri, describeUri, type PathWriter } from '../uri.ts';
import { deprecationNote, titleOf } from '../words.ts';
import { prefixesOf } from '../xsd/schema.ts';
import { schemasOf } from '../xsd/xsd.ts';
import { methodElement, type WadlContext } from './method.ts';
import { constantParam, variableParam } from './param.ts';

/**
 * The WADL of a service: its resources with their parameters, the representations of requests, replies and faults, and
 * the XML Schemas of its documents inline. `base` is the gateway's address with its context, without a slash at the end.
 * @throws RangeError where `pathName` is no path name of the service
 */
export function describeWadl(
  registry: Registry,
  service: Service,
  { base, pathName }: { readonly base: string; readonly pathName?: string | undefined },
): string {
  const scope = restScopeOf(registry, { service, pathName });
  const schemas = schemasOf(scope);
  const attributes = {
    xmlns: 'http://wadl.dev.java.net/2009/02',
    'xmlns:xs': 'http://www.w3.org/2001/XMLSchema',
    ...prefixesOf(schemas),
  };
  const grammars = schemas.namespaces.map((namespace) => schemas.schemaOf(namespace));
  const resources = resourceElements({ scope, schemas });
  const deprecated = deprecationNote(service);
  const application = element('application', attributes, [
    element('doc', { title: scope.name }, [titleOf(scope)]),
    deprecated === undefined ? undefined : element('doc', { title: 'Deprecated' }, [deprecated]),
    faultsDoc(scope),
    grammars.length === 0 ? undefined : element('grammars', {}, grammars),
    resources.length === 0
      ? undefined
      : element('resources', { base: `${base}/RESTListeningConnector/${scope.gateway.id}/` }, resources),
  ]);
  return buildXml(application);
}

/** The meanings of the statuses, once for all methods. */
function faultsDoc({ rest, gateway }: Scope): XmlElement | undefined {
  if (rest.length === 0) return undefined;
  const lines = faultMeanings(rest, gateway.limits).map(({ status, meaning }) => `${status}: ${meaning}`);
  return element('doc', { title: 'Statuses of faults' }, [lines.join('\n')]);
}

/** WADL paths know `{X}` alone; matrix variables are parameters beside the path. */
const wadlPath: PathWriter = ({ operator, name }, first) => {
  const variable = `{${ncName(name)}}`;
  if (operator === ';') return '';
  if (operator === '/' || operator === '.') return `${operator}${variable}`;
  return first ? variable : `,${variable}`;
};

/** One resource a path name, below it one for each template; methods of one path with the same parameters share theirs. */
function resourceElements(context: WadlContext): XmlElement[] {
  const byPathName = Map.groupBy(context.scope.rest, segmentOf);
  return [...byPathName].map(([path, operations]) => {
    const children = new Map<string, { readonly attributes: { path: string }; readonly content: XmlElement[] }>();
    for (const operation of operations) {
      for (const uri of operation.uris) {
        const described = describeUri(uri, wadlPath);
        const params = described.pathVariables.map(variableParam);
        const key = JSON.stringify([described.path, params]);
        const resource = children.get(key) ?? { attributes: { path: described.path }, content: [...params] };
        resource.content.push(methodOf(operation, described, context));
        children.set(key, resource);
      }
    }
    const inner = [...children.values()].map(({ attributes, content }) => element('resource', attributes, content));
    return element('resource', { path }, inner);
  });
}

function methodOf(operation: Operation, described: DescribedUri, context: WadlContext): XmlElement {
  const query = [...described.constants.map(constantParam), ...described.queryVariables.map(variableParam)];
  return methodElement(operation, described, query, context);
}
