<?php
// Calls operations with a UsernameToken by PHP's SoapClient, which leaves the header to its user. Reads what it is to show as
// JSON, writes what came of each call.

const WSSE = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd';
const WSU = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd';
const PROFILE = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-username-token-profile-1.0#';

$given = json_decode(stream_get_contents(STDIN), true, 512, JSON_THROW_ON_ERROR);

function header_of(string $token): SoapHeader
{
    $xml = '<wsse:Security xmlns:wsse="' . WSSE . '" xmlns:wsu="' . WSU . '"><wsse:UsernameToken>'
        . '<wsse:Username>demo</wsse:Username>' . $token . '</wsse:UsernameToken></wsse:Security>';
    return new SoapHeader(WSSE, 'Security', new SoapVar($xml, XSD_ANYXML), true);
}

function text(string $password): SoapHeader
{
    return header_of('<wsse:Password Type="' . PROFILE . 'PasswordText">' . $password . '</wsse:Password>');
}

function digest(string $secret): SoapHeader
{
    $nonce = random_bytes(16);
    $created = gmdate('Y-m-d\TH:i:s\Z');
    $digest = base64_encode(sha1($nonce . $created . $secret, true));
    return header_of('<wsse:Password Type="' . PROFILE . 'PasswordDigest">' . $digest . '</wsse:Password><wsse:Nonce>'
        . base64_encode($nonce) . '</wsse:Nonce><wsu:Created>' . $created . '</wsu:Created>');
}

$call = function (string $operation, SoapHeader $header) use ($given): string {
    $client = new SoapClient($given['wsdl']);
    $client->__setSoapHeaders($header);
    try {
        return $client->$operation(['S' => 'Grüße & <b>'])->S;
    } catch (SoapFault $fault) {
        return $fault->faultstring;
    }
};

echo json_encode([
    'text' => $call('TOKEN', text('demo')),
    'wrong text' => $call('TOKEN', text('wrong')),
    'digest' => $call('DIGEST', digest($given['secret'])),
    'wrong digest' => $call('DIGEST', digest('wrong')),
], JSON_THROW_ON_ERROR);
