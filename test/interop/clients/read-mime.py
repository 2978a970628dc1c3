"""Takes a MIME message apart with Python's own reader, and writes its parts as JSON: a reader that is not ours."""

import base64
import email
import email.policy
import json
import sys



def told(entity):
    return {
        "type": entity.get_content_type(),
        "parameters": dict(entity["Content-Type"].params),
        "headers": {name.lower(): value for name, value in entity.items()},
        "defects": [str(each) for each in entity.defects],
    }


message = email.message_from_bytes(sys.stdin.buffer.read(), policy=email.policy.HTTP)
parts = [
    told(part) | {"base64": base64.b64encode(part.get_payload(decode=True)).decode()} for part in message.iter_parts()
]
json.dump(told(message) | {"parts": parts}, sys.stdout)
