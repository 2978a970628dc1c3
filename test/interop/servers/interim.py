"""A partner with Python's own http.server that sends interim replies nobody asked for, as IIS and proxies do."""
import http.server


class Partner(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        way = self.path.rsplit("/", 1)[-1]
        for status in {"continue": [100], "hints": [103], "several": [100, 102, 103, 100]}[way.split("-")[0]]:
            self.send_response_only(status)
            if status == 103:
                self.send_header("Link", "</style.css>; rel=preload; as=style")
            self.end_headers()
            if way.endswith("-apart"):
                self.wfile.flush()
        body = b'{"TAKEN":true}'
        self.send_response(200)
        self.send_header("Server", "Microsoft-IIS/10.0")
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


# With a buffer, interim replies and the reply leave in one packet.
Partner.wbufsize = -1
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Partner)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
