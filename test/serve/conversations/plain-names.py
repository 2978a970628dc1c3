"""Lists queries and runs one over REST, and reads the XML by the names as they are written: no namespaces, no prefixes."""
import base64
import json
import sys
import urllib.request
import xml.parsers.expat


def read(path):
    """The reply as nested dictionaries: a repeated element is a list, one without elements its text."""
    request = urllib.request.Request(sys.argv[1] + path)
    request.add_header('Authorization', 'Basic ' + base64.b64encode(b'demo:demo').decode())
    with urllib.request.urlopen(request) as reply:
        text = reply.read()
    stack = [{}]
    texts = ['']

    def start(name, _):
        stack.append({})
        texts.append('')

    def end(name):
        value = stack.pop()
        own = texts.pop()
        found = value if value else own
        parent = stack[-1]
        if name not in parent:
            parent[name] = found
        elif isinstance(parent[name], list):
            parent[name].append(found)
        else:
            parent[name] = [parent[name], found]

    def characters(data):
        texts[-1] += data

    parser = xml.parsers.expat.ParserCreate()
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = characters
    parser.Parse(text, True)
    return stack[0]


listed = read('ListQuery.v1/public/listquery?maxrows=1000&isconnectedquery=N')['QAS_LISTQUERY_RESP_MSG']
queries = [item['PTQASWRK']['QueryName'] + '-' + item['PTQASWRK']['Description'] for item in listed['QAS_LISTQUERY_RESP']]

result = read('ExecuteQuery.v1/public/COURSES/WEBROWSET/NONFILE?isconnectedquery=N&maxrows=100')
webrowset = result['QAS_GETQUERYRESULTS_RESP_MSG']['webRowSet']
columns = [column['column-name'].replace('.', '_') for column in webrowset['metadata']['column-definition']]
rows = [dict(zip(columns, row['columnValue'])) for row in webrowset['data']['currentRow']]
print(json.dumps({'queries': queries, 'rows': rows}))
