"""Calls services with zeep. Reads sessions as JSON, writes what came of each call: see soap-support.ts."""

import base64
import contextlib
import datetime
import decimal
import io
import json
import re
import sys

import requests
import zeep
import zeep.exceptions
import zeep.helpers
from lxml import etree
from zeep.plugins import HistoryPlugin
from zeep.transports import Transport


def given(value):
    """Attributes are fields in zeep, and elements that the schema leaves open are a list without a name."""
    if isinstance(value, list):
        return [given(each) for each in value]
    if not isinstance(value, dict):
        return value
    if "base64" in value:
        return base64.b64decode(value["base64"])
    if "any" in value:
        return {"_value_1": [etree.fromstring(each) for each in value["any"]]}
    fields = {name: given(each) for name, each in value.items() if name != "attributes"}
    return fields | value.get("attributes", {})


def told(value):
    if isinstance(value, bytes):
        return {"base64": base64.b64encode(value).decode()}
    if isinstance(value, dict):
        return {name: told(each) for name, each in value.items()}
    if isinstance(value, list):
        return [told(each) for each in value]
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, decimal.Decimal):
        return str(value)
    if isinstance(value, etree._Element):
        return etree.tostring(value, encoding="unicode")
    return value


def plain(value):
    return told(zeep.helpers.serialize_object(value, dict))


def call(client, service, operation, argument):
    """A document is passed by its fields, as zeep's users do."""
    argument = given(argument)
    positional, named = ([], argument) if isinstance(argument, dict) else ([argument], {})
    try:
        return {"reply": plain(service[operation](*positional, **named))}
    except zeep.exceptions.Fault as fault:
        elements = [] if fault.detail is None else fault.detail
        detail = {etree.QName(each).localname: detail_of(client, each) for each in elements}
        return {"fault": {"code": fault.code, "reason": fault.message, "detail": detail}}


def detail_of(client, element):
    """By the type that the WSDL gives it; as XML, where it gives none."""
    try:
        return plain(client.wsdl.types.deserialize(element))
    except zeep.exceptions.NamespaceError:
        return told(element)


def operations_of(client):
    """Of each port, by zeep's own listing."""
    with contextlib.redirect_stdout(io.StringIO()) as listing:
        client.wsdl.dump()
    return re.findall(r"^\s+(\w+)\(", listing.getvalue(), re.MULTILINE)


def xml(entry):
    return etree.tostring(entry["envelope"], encoding="unicode") if entry else ""


def run(session):
    http = requests.Session()
    http.auth = (session["user"], session["password"])
    if "accept" in session:
        http.headers["Accept"] = session["accept"]
    types = []
    http.hooks["response"].append(lambda response, **_: types.append(response.headers.get("Content-Type", "")))
    history = HistoryPlugin()
    plugins = [history] if session["trace"] else []
    client = zeep.Client(session["wsdl"], transport=Transport(session=http), plugins=plugins)
    [found] = client.wsdl.services.values()
    [port] = [each for each in found.ports if session["version"].replace(".", "") in each]
    service = client.bind(found.name, port)
    answers = {}
    for name, each in session["calls"].items():
        answer = call(client, service, each["operation"], each["argument"])
        if session["trace"]:
            answer |= {"sent": xml(history.last_sent), "received": xml(history.last_received), "type": types[-1]}
        answers[name] = answer
    return {"operations": operations_of(client), "answers": answers}


if __name__ == "__main__":
    json.dump({name: run(session) for name, session in json.load(sys.stdin).items()}, sys.stdout)
