import { childrenOf, type XmlElement } from '../../src/wire/xml/tree.ts';
import {
  abstract,
  duplicates,
  everything,
  extensions,
  parts,
  type Rule,
  replace,
  which,
} from './basic-profile-rule.ts';
import {
  abstractOf,
  attribute,
  children,
  components,
  has,
  named,
  partsOf,
  SOAP11,
  schemaComponents,
  WSDL,
  type Wsdl,
} from './wsdl-reader.ts';

/** Rules about messages, port types and bindings. */

const messageRules: readonly Rule[] = [
  [
    'R2201',
    'the parts attribute of a soap:body lists one part at most',
    (wsdl) =>
      extensions(wsdl, 'body').flatMap(([body]) => which([body], (each) => /\s/.test(attribute(each, 'parts')))),
    replace('<soap:body use', '<soap:body parts="a b" use'),
  ],
  [
    'R2210',
    'without it, the message has one part at most',
    (wsdl) =>
      abstract(wsdl).flatMap((operation) =>
        childrenOf(operation).flatMap((each) =>
          partsOf(wsdl, each)
            .slice(1)
            .map((part) => attribute(part, 'name')),
        ),
      ),
    replace('<wsdl:part name="parameters" element="tns:PING"/>', '$&<wsdl:part name="more" element="tns:NOTE"/>'),
  ],
  [
    'R2204',
    'the part of a soap:body is an element',
    (wsdl) => bound(wsdl, 'body').flatMap((message) => which(partsOf(wsdl, message), (part) => !has(part, 'element'))),
    replace('name="parameters" element="tns:PING"', 'name="parameters" type="tns:NOTE"'),
  ],
  [
    'R2205',
    'the part of a soap:fault is an element',
    (wsdl) => bound(wsdl, 'fault').flatMap((message) => which(partsOf(wsdl, message), (part) => !has(part, 'element'))),
    replace('name="fault" element="tns:EXCHANGE_FAULT"', 'name="fault" type="tns:EXCHANGE_FAULT"'),
  ],
  [
    'R2206',
    'it is a global element that is there',
    (wsdl) => {
      const known = schemaComponents(wsdl, 'element');
      return parts(wsdl).flatMap((part) =>
        known.has(named(part, 'element') ?? '') ? [] : [attribute(part, 'element')],
      );
    },
    replace('element="tns:PINGResponse"', 'element="tns:PONG_TYPE"'),
  ],
  [
    'R2209',
    'a binding binds every part',
    (wsdl) =>
      extensions(wsdl, 'operation').flatMap(([, operation]) =>
        which(
          [...children(operation, WSDL, 'input'), ...children(operation, WSDL, 'output')],
          (each) => childrenOf(each).length === 0,
        ),
      ),
    replace('<soap:body use="literal"/>', ''),
  ],
  [
    'R2306',
    'no part has both a type and an element',
    (wsdl) => which(parts(wsdl), (part) => has(part, 'type') && has(part, 'element')),
    replace('<wsdl:part name="parameters" element', '<wsdl:part type="tns:NOTE" name="parameters" element'),
  ],
];

/** Messages of port types that an extension element binds. */
function bound(wsdl: Wsdl, extension: 'body' | 'fault'): XmlElement[] {
  return extensions(wsdl, 'operation').flatMap(([, operation, binding]) => {
    const found = abstractOf(wsdl, binding, operation);
    if (found === undefined) return [];
    return childrenOf(found).filter(
      (each) => has(each, 'message') && (each.local === 'fault') === (extension === 'fault'),
    );
  });
}

const portTypeRules: readonly Rule[] = [
  [
    'R2303',
    'no operation is a notification or solicits a response',
    (wsdl) =>
      which(abstract(wsdl), (operation) => {
        const kinds = childrenOf(operation).map((each) => each.local);
        return (
          kinds.indexOf('input') < 0 || (kinds.includes('output') && kinds.indexOf('output') < kinds.indexOf('input'))
        );
      }),
    replace('<wsdl:input message="tns:NOTE_SENDRequest"/>', '<wsdl:output message="tns:NOTE_SENDRequest"/>'),
  ],
  [
    'R2304',
    'operations of a port type have distinct names',
    ({ portTypes }) =>
      portTypes.flatMap((each) =>
        duplicates(children(each, WSDL, 'operation').map((operation) => attribute(operation, 'name'))),
      ),
    replace('<wsdl:operation name="PING">', '<wsdl:operation name="FILE_PUT">'),
  ],
  [
    'R2305',
    'parameterOrder leaves out one part at most',
    (wsdl) => which(abstract(wsdl), (operation) => has(operation, 'parameterOrder')),
    replace('<wsdl:operation name="PING">', '<wsdl:operation name="PING" parameterOrder="a">'),
  ],
];

const HTTP = 'http://schemas.xmlsoap.org/soap/http';

const bindingRules: readonly Rule[] = [
  [
    'R2401',
    'a binding is that of SOAP 1.1, as WSDL 1.1 has it',
    ({ bindings }) => (bindings.some(({ dialect }) => dialect === SOAP11) ? [] : ['none is']),
    (text) => text.replaceAll('"http://schemas.xmlsoap.org/wsdl/soap/"', '"urn:other"'),
  ],
  [
    'R2701',
    'it says its transport',
    (wsdl) =>
      which(
        extensions(wsdl, 'binding').map(([each]) => each),
        (each) => !has(each, 'transport'),
      ),
    replace(` transport="${HTTP}"`, ''),
  ],
  [
    'R2702',
    'which is HTTP',
    (wsdl) =>
      which(
        extensions(wsdl, 'binding').map(([each]) => each),
        (each) => attribute(each, 'transport') !== HTTP,
      ),
    replace(HTTP, 'http://schemas.xmlsoap.org/soap/smtp'),
  ],
  [
    'R2705',
    'it is document-literal throughout',
    (wsdl) =>
      which(
        extensions(wsdl, 'binding', 'operation').map(([each]) => each),
        (each) => {
          const style = attribute(each, 'style');
          return each.local === 'binding' ? style !== 'document' : style !== '' && style !== 'document';
        },
      ),
    replace('<soap:operation ', '<soap:operation style="rpc" '),
  ],
  [
    'R2706',
    'use is literal',
    (wsdl) =>
      which(
        extensions(wsdl, 'body', 'fault', 'header').map(([each]) => each),
        (each) => attribute(each, 'use') !== 'literal',
      ),
    replace('<soap:body use="literal"', '<soap:body use="encoded"'),
  ],
  [
    'R2723',
    'in faults too',
    (wsdl) =>
      which(
        extensions(wsdl, 'fault').map(([each]) => each),
        (each) => attribute(each, 'use') !== 'literal',
      ),
    replace(/(<soap12:fault [^>]*)use="literal"/, '$1use="encoded"'),
  ],
  [
    'R2710',
    'operations differ in what is in the Body',
    (wsdl) =>
      wsdl.bindings.flatMap((binding) => {
        const inputs = binding.operations.flatMap((operation) => abstractOf(wsdl, binding, operation) ?? []);
        const elements = inputs.flatMap((operation) => children(operation, WSDL, 'input'));
        return duplicates(
          elements.flatMap((input) => partsOf(wsdl, input).map((part) => named(part, 'element') ?? '')),
        );
      }),
    replace('element="tns:PING"', 'element="tns:NOTE_SEND"'),
  ],
  [
    'R2711',
    'no two ports of SOAP 1.1 have one address',
    (wsdl) =>
      duplicates(
        everything(wsdl)
          .filter((each) => each.namespace === SOAP11 && each.local === 'address')
          .map((each) => attribute(each, 'location')),
      ),
    replace(/<soap:address location="([^"]*)"\/>/, '$&<soap:address location="$1"/>'),
  ],
  [
    'R2716',
    'no body, header or fault names a namespace',
    (wsdl) =>
      which(
        extensions(wsdl, 'body', 'header', 'headerfault', 'fault').map(([each]) => each),
        (each) => has(each, 'namespace'),
      ),
    replace('<soap12:fault ', '<soap12:fault namespace="urn:a" '),
  ],
  [
    'R2718',
    'a binding has the operations of its port type',
    (wsdl) => {
      const names = (operations: readonly XmlElement[]): string =>
        operations
          .map((each) => attribute(each, 'name'))
          .sort()
          .join();
      return wsdl.bindings.flatMap((binding) => {
        const portType = components(wsdl, 'portType').get(named(binding.element, 'type') ?? '');
        const wanted = portType === undefined ? undefined : names(children(portType, WSDL, 'operation'));
        return names(binding.operations) === wanted ? [] : [binding.name];
      });
    },
    (text) => text.replace(/(<soap12:binding [^>]*>\s*)<wsdl:operation [\s\S]*?<\/wsdl:operation>/, '$1'),
  ],
  [
    'R2720',
    'a header names its part',
    (wsdl) =>
      which(
        extensions(wsdl, 'header', 'headerfault').map(([each]) => each),
        (each) => !/^[\w.-]+$/.test(attribute(each, 'part')),
      ),
    replace('<soap:body ', '<soap:header message="tns:PINGRequest" use="literal"/><soap:body '),
  ],
  [
    'R2721',
    'a soap:fault has a name',
    (wsdl) =>
      which(
        extensions(wsdl, 'fault').map(([each]) => each),
        (each) => !has(each, 'name'),
      ),
    replace(/<soap:fault name="[^"]*"/, '<soap:fault'),
  ],
  [
    'R2754',
    'that of the wsdl:fault around it',
    (wsdl) =>
      extensions(wsdl, 'fault').flatMap(([fault, around]) =>
        attribute(fault, 'name') === attribute(around, 'name') ? [] : [attribute(fault, 'name')],
      ),
    replace(/<soap12:fault name="[^"]*"/, '<soap12:fault name="OTHER"'),
  ],
  [
    'R2740',
    'a binding has a soap:fault for each known fault',
    (wsdl) =>
      wsdl.bindings.flatMap((binding) =>
        binding.operations.flatMap((operation) => {
          const known = abstractOf(wsdl, binding, operation);
          const here = children(operation, WSDL, 'fault').map((each) => attribute(each, 'name'));
          const wanted =
            known === undefined ? [] : children(known, WSDL, 'fault').map((each) => attribute(each, 'name'));
          return here.join() === wanted.join() ? [] : [attribute(operation, 'name')];
        }),
      ),
    replace(/<wsdl:fault name="[^"]*">\s*<soap:fault [\s\S]*?<\/wsdl:fault>/, ''),
  ],
  [
    'R2744',
    'an operation has a SOAPAction, one that can be quoted',
    (wsdl) =>
      which(
        extensions(wsdl, 'operation').map(([each]) => each),
        (each) => !/^[^"\s]+$/.test(attribute(each, 'soapAction')),
      ),
    replace('soapAction="PING.v2"', 'soapAction=""'),
  ],
];

export const BINDING_RULES: readonly Rule[] = [...messageRules, ...portTypeRules, ...bindingRules];
