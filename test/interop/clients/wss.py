"""Calls operations with WS-Security by zeep and xmlsec. Reads what it is to show as JSON, writes what came of each call."""

import datetime
import json
import sys

import xmlsec
import zeep
import zeep.exceptions
from zeep.wsse import utils
from zeep.wsse.signature import BinarySignature, Signature
from zeep.wsse.username import UsernameToken

given = json.load(sys.stdin)


class Reply:
    """Replies are not signed: there is nothing to verify."""

    def verify(self, envelope):
        return envelope


class Timed(Reply):
    """A Timestamp is for the user of zeep to add; it is signed where there is one."""

    def apply(self, envelope, headers):
        now = datetime.datetime.now(datetime.timezone.utc)
        times = [utils.WSU.Created(now.isoformat()), utils.WSU.Expires((now + datetime.timedelta(minutes=5)).isoformat())]
        utils.get_security_header(envelope).append(utils.WSU.Timestamp(*times))
        return super().apply(envelope, headers)


class TimedSignature(Timed, Signature):
    pass


class TimedBinary(Timed, BinarySignature):
    pass


def signature(kind, method=xmlsec.Transform.RSA_SHA256, digest=xmlsec.Transform.SHA256):
    return kind(given["key"], given["certificate"], signature_method=method, digest_method=digest)


def call(operation, wsse):
    client = zeep.Client(given["wsdl"], wsse=wsse)
    try:
        return client.service[operation](S="Grüße & <b>")["S"]
    except zeep.exceptions.Fault as fault:
        return fault.message


def digest(password):
    return UsernameToken("demo", password, use_digest=True)


now = datetime.datetime.now(datetime.timezone.utc)
replayed = lambda: UsernameToken("demo", given["secret"], use_digest=True, nonce="a nonce of 16 by", created=now)
print(
    json.dumps(
        {
            "text": call("TOKEN", UsernameToken("demo", "demo")),
            "wrong text": call("TOKEN", UsernameToken("demo", "wrong")),
            "digest": call("DIGEST", digest(given["secret"])),
            "wrong digest": call("DIGEST", digest("wrong")),
            "once": call("DIGEST", replayed()),
            "again": call("DIGEST", replayed()),
            "signature": call("SIGNED", signature(TimedSignature)),
            "signature with a token": call("SIGNED", signature(TimedBinary)),
            "signature with SHA-512": call("SIGNED", signature(TimedBinary, digest=xmlsec.Transform.SHA512)),
            "signature with SHA-1": call("SIGNED", signature(TimedBinary, method=None, digest=None)),
        }
    )
)
