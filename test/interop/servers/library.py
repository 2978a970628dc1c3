"""A document library: see rest-servers-python.test.ts. It answers the three calls of an upload, and says of each what it saw.

argv: the files of its certificate and key. Names of hosts are not looked at.
"""

import hashlib
import json
import re
import ssl
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, unquote, urlsplit

UPLOAD = re.compile(
    r"/sites/(?P<site>[^/]+)/_api/web/GetFolderByServerRelativeURL\('(?P<folder>(?:[^']|'')*)'\)"
    r"/Files/add\(url='(?P<name>(?:[^'/]|'')*)',overwrite=true\)"
)
SEEN = []


def odata(text):
    """A text between the quotes of OData, as it was: decoded once, then each doubled quote is one."""
    return unquote(text, errors="strict").replace("''", "'")


class Library(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.content()
        path = urlsplit(self.path).path
        seen = {"path": self.path, "headers": {name.lower(): value for name, value in self.headers.items()}}
        SEEN.append(seen)
        if path.endswith("/tokens/OAuth/2"):
            text = body.decode("ascii")
            seen["form"] = parse_qsl(text, keep_blank_values=True, strict_parsing=True, errors="strict")
            seen["body"] = text
            self.say({"token_type": "Bearer", "access_token": "token-1", "expires_in": "3599"})
        elif path.endswith("/_api/ContextInfo"):
            seen["site"] = unquote(path.split("/")[2], errors="strict")
            seen["length"] = len(body)
            self.say({"FormDigestTimeoutSeconds": 1800, "FormDigestValue": "0x1F,21 Nov 2026 12:00:00 -0000"})
        elif match := UPLOAD.fullmatch(path):
            seen["site"] = unquote(match["site"], errors="strict")
            seen["folder"] = odata(match["folder"])
            seen["name"] = odata(match["name"])
            seen["sha256"] = hashlib.sha256(body).hexdigest()
            url = seen["folder"] + seen["name"]
            self.say({"Name": seen["name"], "ServerRelativeUrl": url, "Length": str(len(body)), "odata.null": None})
        else:
            self.send_error(404)

    def do_GET(self):
        self.say(SEEN)

    def content(self):
        """The body; http.server leaves chunks (RFC 9112 section 7.1) to its user."""
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        chunks = []
        while length := int(self.rfile.readline(), 16):
            chunks.append(self.rfile.read(length))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(chunks)

    def say(self, value):
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json;odata=nometadata")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Library)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(*sys.argv[1:])
server.socket = context.wrap_socket(server.socket, server_side=True)
print(f"https://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
