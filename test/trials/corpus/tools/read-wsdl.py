"""Reads WSDLs with zeep: a path a line, one JSON answer a line."""
import json
import logging
import sys
import warnings

from zeep import Client
from zeep.transports import Transport

logging.disable(logging.CRITICAL)
warnings.simplefilter("ignore")
sys.setrecursionlimit(5000)


class LocalTransport(Transport):
    """Nothing of the network."""

    def load(self, url):
        if url.startswith("http"):
            raise OSError("is on the network: " + url)
        return super().load(url)


def operations(path):
    client = Client(path, transport=LocalTransport())
    ports = [port for service in client.wsdl.services.values() for port in service.ports.values()]
    return sorted({name for port in ports for name in port.binding._operations})


for line in sys.stdin:
    path = line.strip()
    try:
        answer = {"operations": operations(path)}
    except Exception as error:
        answer = {"error": f"{type(error).__name__}: {error}"[:400]}
    print(json.dumps({"file": path, **answer}), flush=True)
