"""Polls a query over SOAP and reads every reply by the full names of its elements, as ElementTree gives them."""
import json
import sys
import time
import urllib.request
import xml.etree.ElementTree as ElementTree

S = 'http://xmlns.oracle.com/Enterprise/Tools/schemas/'
WSSE = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd'
BODY = '{http://schemas.xmlsoap.org/soap/envelope/}Body'


def ask(action, message, part, inside):
    request = f'''<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"
        xmlns:m="{S}{message}.VERSION_1" xmlns:p="{S}{part}.VERSION_1"><e:Header>
        <w:Security e:mustUnderstand="1" xmlns:w="{WSSE}"><w:UsernameToken><w:Username>demo</w:Username>
        <w:Password>demo</w:Password></w:UsernameToken></w:Security></e:Header>
        <e:Body><m:{message}>{inside}</m:{message}></e:Body></e:Envelope>'''
    headers = {'Content-Type': 'application/xml', 'SOAPAction': action}
    with urllib.request.urlopen(urllib.request.Request(sys.argv[1], request.encode(), headers)) as reply:
        return ElementTree.fromstring(reply.read())


poll = ask('QAS_EXECUTEQRYSYNCPOLL_OPER.VERSION_1', 'QAS_EXEQRY_SYNCPOLL_REQ_MSG', 'QAS_EXEQRY_SYNCPOLL_REQ', '''
    <p:QAS_EXEQRY_SYNCPOLL_REQ><QueryName>COURSES</QueryName><isConnectedQuery>N</isConnectedQuery><OwnerType>public</OwnerType>
    <BlockSizeKB>0</BlockSizeKB><MaxRow>0</MaxRow><OutResultType>xmlp</OutResultType><OutResultFormat>nonfile</OutResultFormat>
    <Prompts/></p:QAS_EXEQRY_SYNCPOLL_REQ>''')
PART = 'QAS_EXEQRYSYNCPOLL_RESP'
instance = poll.find(f'{BODY}/{{{S}{PART}_MSG.VERSION_1}}{PART}_MSG/{{{S}{PART}_MSG.VERSION_1}}{PART}'
                     f'/{{{S}{PART}.VERSION_1}}PTQASWRK/{{{S}{PART}.VERSION_1}}QueryInstance').text

status = 'queued'
while status == 'queued':
    time.sleep(0.02)
    block = ask('QAS_GETQUERYRESULTS_OPER.VERSION_2', 'QAS_GETQUERYRESULTS_REQ_MSG', 'QAS_GETQUERYRESULTS_REQ', f'''
        <m:QAS_GETQUERYRESULTS_REQ><p:PTQASWRK class="R"><p:BlockNumber>1</p:BlockNumber>
        <p:QueryInstance>{instance}</p:QueryInstance></p:PTQASWRK></m:QAS_GETQUERYRESULTS_REQ>''')
    result = block.find(f'{BODY}/{{{S}QAS_GETQUERYRESULTS_RESP_MSG.VERSION_2}}QAS_GETQUERYRESULTS_RESP_MSG')
    state = f'{{{S}QAS_QUERYRESULTS_STATUS_RESP.VERSION_2}}'
    status = result.find(f'{state}QAS_QUERYRESULTS_STATUS_RESP/{state}status').text

rows = [[cell.text for cell in row] for row in result.iter(f'{{{S}QAS_QUERYRESULTS_XMLP_RESP.VERSION_1}}row')]
last = list(result)[-1].tag == f'{state}QAS_QUERYRESULTS_STATUS_RESP'
print(json.dumps({'status': status, 'last': last, 'rows': rows}))
