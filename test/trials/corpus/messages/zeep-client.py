"""A client of services whose contract zeep reads: one JSON request a line, one JSON answer a line.

{"load": path or address}                 -> {"operations": [...]} or {"error": ...}
{"call": {port, operation, address, ...}} -> {"sent": ..., "reply": ..., "error": ..., "stage": ...}

A request is made from XML that is valid by the schema: zeep reads it as a value of its own and writes that anew, so that
choices, derived types, attributes and facets are those of the schema.
"""
import json
import logging
import signal
import sys
import warnings
from collections import Counter

from lxml import etree
from lxml.builder import ElementMaker
from zeep import Client, Settings
from zeep.exceptions import Fault
from zeep.transports import Transport
from zeep.wsdl.bindings.soap import Soap12Binding, SoapBinding
from zeep.wsdl.messages.base import SerializedMessage
from zeep.wsdl.messages.soap import RpcMessage
from zeep.xsd.context import XmlParserContext

logging.disable(logging.CRITICAL)
warnings.simplefilter("ignore")
sys.setrecursionlimit(5000)
XSI = "{http://www.w3.org/2001/XMLSchema-instance}"


class TooSlow(Exception):
    pass


def ring(*_):
    raise TooSlow("zeep took too long")


signal.signal(signal.SIGALRM, ring)


class LocalTransport(Transport):
    """Follows no reference to the network, and keeps what was sent and answered."""

    def __init__(self):
        super().__init__(operation_timeout=15)
        self.sent = self.reply = None
        self.session.trust_env = False

    def load(self, url):
        if url.startswith("http") and "://127.0.0.1:" not in url:
            raise OSError("is on the network: " + url)
        return super().load(url)

    def post(self, address, message, headers):
        self.sent = message
        self.headers = dict(headers)
        self.reply = super().post(address, message, headers)
        return self.reply


class State:
    client = None


def name_of(qname):
    return None if qname is None else str(qname)


def described(name, element):
    """An element by its name, or a part by its type."""
    return {"part": name, "element": name_of(element.qname), "type": name_of(getattr(element.type, "qname", None) or getattr(element.type, "_default_qname", None))}


def message_of(message):
    if message is None:
        return None
    headers = [] if message.header is None else [described(n, e) for n, e in message.header.type.elements]
    body = message.body
    if body is None:
        return {"kind": "none", "headers": headers}
    if isinstance(message, RpcMessage):
        header_parts = {each["part"] for each in headers}
        parts = [
            {"part": n, "element": name_of(p.element.qname) if p.element is not None else None,
             "type": None if p.type is None else name_of(getattr(p.type, "qname", None) or getattr(p.type, "_default_qname", None))}
            for n, p in message.abstract.parts.items() if n not in header_parts
        ]
        return {"kind": "rpc", "element": name_of(body.qname), "parts": parts, "headers": headers}
    if message._is_body_wrapped:
        return {"kind": "several", "parts": [described(n, e) for n, e in body.type.elements], "headers": headers}
    return {"kind": "document", "element": name_of(body.qname), "type": name_of(getattr(body.type, "qname", None)), "headers": headers}


def fault_element(fault):
    """The element of a fault's detail."""
    parts = list(fault.abstract.parts.values()) if getattr(fault, "abstract", None) is not None else []
    return parts[0].element if parts else None


def is_encoded(operation):
    """use="encoded" is not kept by zeep once a message is resolved, so it is read before."""
    return operation in ENCODED


ENCODED = set()
resolve = SoapBinding.resolve


def noting_resolve(self, definitions):
    for operation in self._operations.values():
        for message in (operation.input, operation.output):
            info = getattr(message, "_resolve_info", None)
            if info and info.get("body") and info["body"].get("use") == "encoded":
                ENCODED.add(operation)
    return resolve(self, definitions)


SoapBinding.resolve = noting_resolve


def load(location):
    ENCODED.clear()
    State.client = Client(location, transport=LocalTransport(), settings=Settings(strict=True, xml_huge_tree=True))
    found = []
    for service in State.client.wsdl.services.values():
        for port in service.ports.values():
            if not isinstance(port.binding, SoapBinding):
                continue
            for operation in port.binding.all().values():
                if is_encoded(operation):
                    continue
                found.append({
                    "service": service.name, "port": port.name, "address": (port.binding_options or {}).get("address"), "type": etree.QName(port.binding.port_name).localname, "name": operation.name,
                    "soap": "1.2" if isinstance(port.binding, Soap12Binding) else "1.1",
                    "action": operation.soapaction, "input": message_of(operation.input), "output": message_of(operation.output),
                    "faults": [{"name": n, "element": name_of(getattr(fault_element(f), "qname", None))} for n, f in operation.faults.items()],
                })
    return {"operations": found}


def read(element, xml):
    context = XmlParserContext(settings=State.client.settings)
    return element.parse(etree.fromstring(xml), State.client.wsdl.types, context=context)


def written(message, value, headers, nsmap_of):
    """The envelope of a message with a value that zeep has read."""
    soap = ElementMaker(namespace=message.nsmap["soap-env"], nsmap={"soap-env": message.nsmap["soap-env"]})
    envelope = soap.Envelope()
    header = message._serialize_header(headers, {})
    if header is not None:
        envelope.append(header)
    if message.body is None:
        envelope.append(soap.Body())
    elif message._is_body_wrapped:
        message.body.render(envelope, value)
    else:
        body = soap.Body()
        envelope.append(body)
        message.body.render(body, value)
    return envelope


def leaves(element):
    """The texts of elements without children and of attributes, in no order, as far as they are not lexical alone."""
    found = Counter()
    for each in element.iter():
        if not isinstance(each.tag, str):
            continue
        for name, value in each.attrib.items():
            if not name.startswith(XSI):
                found[name + "=" + plain(value)] += 1
        if len(each) == 0 and (each.text or "").strip():
            found[etree.QName(each).localname + "=" + plain(each.text)] += 1
    return found


def plain(text):
    text = " ".join(text.split())
    if text in ("true", "1"):
        return "true"
    if text in ("false", "0"):
        return "false"
    try:
        return repr(float(text))
    except ValueError:
        pass
    if text[:1].isdigit() and "T" in text or ":" in text:
        return text.replace("+00:00", "").rstrip("Z").split(".")[0]
    return text


def lost(message, reply):
    """What zeep has not read of a reply: it writes what it has read again."""
    body = reply.find("{%s}Body" % message.nsmap["soap-env"])
    if message.body is None or body is None or len(body) == 0:
        return None
    source = body if message._is_body_wrapped else body[0]
    context = XmlParserContext(settings=State.client.settings)
    value = message.body.parse(source, State.client.wsdl.types, context=context)
    holder = etree.Element("holder")
    message.body.render(holder, value)
    before, after = leaves(source), leaves(holder)
    missing = before - after
    return ", ".join(sorted(missing)[:4]) if missing else None


def call(given):
    client = State.client
    transport = client.transport
    transport.sent = transport.reply = None
    port = client.wsdl.services[given["service"]].ports[given["port"]]
    operation = port.binding.get(given["operation"])
    message = operation.input
    result = {"stage": "made"}
    try:
        value = None if given["body"] is None else read(message.body, given["body"])
        elements = dict(message.header.type.elements) if message.header is not None else {}
        headers = {name: read(elements[name], xml) for name, xml in given["headers"].items()} or None
        envelope = written(message, value, headers, None)
        action = '"%s"' % operation.soapaction if operation.soapaction else '""'
        serialized = SerializedMessage(path=None, headers={"SOAPAction": action}, content=envelope)
        port.binding._set_http_headers(serialized, operation)
        result["stage"] = "called"
        transport.session.headers.update({"X-Call": given["id"], "X-Fault": given.get("fault") or ""})
        response = transport.post_xml(given["address"], serialized.content, serialized.headers)
        result["stage"] = "read"
        try:
            port.binding.process_reply(client, operation, response)
        except Fault as fault:
            result["fault"] = {"code": str(fault.code), "message": fault.message, "detail": [c.tag for c in detail_of(fault)]}
            fault_name = given.get("fault")
            declared = fault_element(operation.faults[fault_name]) if fault_name else None
            for child in detail_of(fault):
                if declared is not None and child.tag == str(declared.qname):
                    read(declared, etree.tostring(child))
                    result["fault"]["read"] = True
        else:
            result["lost"] = None if operation.output is None or response.status_code == 202 else lost(operation.output, envelope_of(response))
    except TooSlow:
        result["error"] = "TooSlow: zeep took too long"
    except Exception as error:
        result["error"] = "%s: %s" % (type(error).__name__, error)
    result["sent"] = transport.sent.decode("utf-8", "replace") if transport.sent else None
    if transport.reply is not None:
        result["status"] = transport.reply.status_code
        result["reply"] = transport.reply.content.decode("utf-8", "replace")
    return result


def envelope_of(response):
    """The envelope of a reply, which is the first part of one with attachments."""
    content = response.content
    if response.headers.get("Content-Type", "").lower().startswith("multipart/related"):
        content = content.split(b"\r\n\r\n", 1)[1].split(b"\r\n--", 1)[0]
    return etree.fromstring(content)


def detail_of(fault):
    return [] if fault.detail is None or isinstance(fault.detail, (str, bytes)) else list(fault.detail)


for line in sys.stdin:
    request = json.loads(line)
    signal.alarm(40)
    try:
        answer = load(request["load"]) if "load" in request else call(request["call"])
    except TooSlow:
        answer = {"error": "TooSlow: zeep took too long"}
    except Exception as error:
        answer = {"error": "%s: %s" % (type(error).__name__, error)}
    finally:
        signal.alarm(0)
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
