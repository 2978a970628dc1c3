"""A partner whose messages have attachments, read and written by Python's own package email: see soap-mtom-servers.test.ts.

The content that an operation is sent comes back as an attachment, beside it what was seen of the message, as JSON. Content with
a file name is kept: N_BINARY_RECEIVE gives it back, as a multipart text inside the CDATA of a `data` element.
"""

import base64
import email
import email.policy
import gzip
import hashlib
import json
from email.message import EmailMessage
from email.utils import make_msgid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import quote, unquote
from xml.etree import ElementTree
from xml.sax.saxutils import escape

XOP = "http://www.w3.org/2004/08/xop/include"
TYPES = {
    "http://schemas.xmlsoap.org/soap/envelope/": "text/xml",
    "http://www.w3.org/2003/05/soap-envelope": "application/soap+xml",
}
LONG_NAME = "Prüfbericht über die Lieferung nach Köln, Düsseldorf und Münster.txt"
POLICIES = {"CRLF": email.policy.SMTP, "LF": email.policy.default}
KEPT = {}


class Message:
    """A message as it came: the element in its Body, what that includes, and what is beside."""

    def __init__(self, content_type, body):
        head = f"MIME-Version: 1.0\r\nContent-Type: {content_type}\r\n\r\n".encode()
        self.whole = email.message_from_bytes(head + body, policy=email.policy.HTTP)
        parts = list(self.whole.iter_parts()) if self.whole.is_multipart() else []
        start = self.whole["Content-Type"].params.get("start")
        [self.root] = [part for part in parts if part["Content-ID"] == start] or [self.whole]
        envelope = ElementTree.fromstring(content(self.root))
        self.soap = envelope.tag[1:].partition("}")[0]
        [self.payload] = envelope.find(f"{{{self.soap}}}Body")
        by_id = {part["Content-ID"]: part for part in parts}
        hrefs = [include.get("href") for include in self.payload.iter(f"{{{XOP}}}Include")]
        self.included = [by_id[f"<{unquote(href.removeprefix('cid:'))}>"] for href in hrefs]
        self.beside = [part for part in parts if part is not self.root and part not in self.included]

    def field(self, name):
        return self.payload.findtext(f"{{*}}{name}") or ""

    def content(self):
        """What it includes, or what stands in base64 in its place."""
        return content(self.included[0]) if self.included else base64.b64decode(self.field("content"))

    def reply(self, fields):
        namespace, _, local = self.payload.tag[1:].partition("}")
        return f'<p:{local}Response xmlns:p="{namespace}">{fields}</p:{local}Response>'


def content(part):
    return part.get_payload(decode=True)


def seen(part):
    said = {
        "type": part.get_content_type(),
        "parameters": dict(part["Content-Type"].params),
        "transfer": part.get("Content-Transfer-Encoding"),
        "name": part.get_filename(),
        "defects": [str(each) for each in part.defects],
    }
    if part.is_multipart():
        return said
    return said | {"length": len(content(part)), "sha256": hashlib.sha256(content(part)).hexdigest()}


def related(soap, body, policy, boundary=None):
    """A message without attachments yet."""
    message = EmailMessage(policy=policy)
    start = make_msgid(domain="partner.test")
    envelope = f'<soap:Envelope xmlns:soap="{soap}"><soap:Body>{body}</soap:Body></soap:Envelope>'
    parameters = {"charset": "UTF-8", "type": TYPES[soap]}
    message.set_content(envelope.encode(), "application", "xop+xml", cte="8bit", cid=start, params=parameters)
    message.make_related(boundary)
    for name, value in {"type": "application/xop+xml", "start": start, "start-info": TYPES[soap]}.items():
        message.set_param(name, value)
    return message


def include(content_id):
    return f'<x:Include xmlns:x="{XOP}" href="cid:{quote(content_id.strip("<>"), safe="")}"/>'


def echo(message):
    """In the transfer encoding, and with the line ends, that are asked for."""
    told = {
        "content": hashlib.sha256(message.content()).hexdigest(),
        "message": seen(message.whole),
        "root": seen(message.root),
        "included": [seen(part) for part in message.included],
        "beside": [seen(part) for part in message.beside],
    }
    content_id = make_msgid(domain="partner.test")
    fields = f"<p:seen>{escape(json.dumps(told))}</p:seen><p:content>{include(content_id)}</p:content>"
    policy = POLICIES[message.field("lines") or "CRLF"]
    reply = related(message.soap, message.reply(fields), policy)
    reply.add_related("Grüße".encode(), "text", "plain", cte="8bit", filename=LONG_NAME)
    encoding = message.field("encoding") or "base64"
    reply.add_related(message.content(), "application", "x-echo", cte=encoding, cid=content_id, filename="echo.bin")
    return sent(reply)


def receive(message):
    data, content_type = KEPT.get(message.field("Document"), (None, None))
    if data is None:
        fault = "<soap:Fault><faultcode>soap:Client</faultcode><faultstring>Gibt es nicht.</faultstring></soap:Fault>"
        return 500, *sent(related(message.soap, fault, email.policy.SMTP))[1:]
    content_id = make_msgid(domain="partner.test")
    body = message.reply(f"<p:Document>{include(content_id)}</p:Document>")
    reply = related(message.soap, body, email.policy.SMTP, boundary="----=_Part_7_1234567.1234567890123")
    reply.add_related(data, *content_type.split("/"), cte="8bit" if is_text(data) else "base64", cid=content_id)
    text = sent(reply)[2].decode().replace("]]>", "]]]]><![CDATA[>")
    return 200, "text/xml", f"<response><data><![CDATA[{text}]]></data></response>".encode()


def is_text(data):
    try:
        return "\r" not in data.decode()
    except UnicodeDecodeError:
        return False


def sent(message):
    _, _, body = message.as_bytes().partition(message.policy.linesep.encode() * 2)
    return 200, str(message["Content-Type"]), body


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        message = Message(self.headers["Content-Type"], self.body())
        for part in message.included:
            KEPT[part.get_filename()] = content(part), part.get_content_type()
        is_receive = message.payload.tag.endswith("}N_BINARY_RECEIVE")
        status, content_type, body = receive(message) if is_receive else echo(message)
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def body(self):
        if self.headers.get("Transfer-Encoding") == "chunked":
            body = b"".join(iter(self.chunk, b""))
        else:
            body = self.rfile.read(int(self.headers["Content-Length"]))
        return gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body

    def chunk(self):
        size = int(self.rfile.readline(), 16)
        data = self.rfile.read(size)
        self.rfile.readline()
        return data

    def log_message(self, *_):
        """Nobody reads it."""


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
