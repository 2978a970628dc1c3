<?php
// Calls services with PHP's SoapClient. Reads sessions as JSON, writes what came of each call: see soap-support.ts.

/** Bytes are a string in PHP, attributes are fields, and elements that the schema leaves open are one text. */
function given(mixed $value): mixed
{
    if (!is_array($value)) {
        return $value;
    }
    if (isset($value['base64'])) {
        return base64_decode($value['base64']);
    }
    if (isset($value['any'])) {
        return ['any' => implode('', $value['any'])];
    }
    $fields = array_map('given', $value) + ($value['attributes'] ?? []);
    unset($fields['attributes']);
    return $fields;
}

function told(mixed $value, string $key, array $binary): mixed
{
    if (is_string($value) && in_array($key, $binary, true)) {
        return ['base64' => base64_encode($value)];
    }
    if (is_object($value)) {
        $fields = get_object_vars($value);
        foreach ($fields as $name => $field) {
            $fields[$name] = told($field, $name, $binary);
        }
        return (object) $fields;
    }
    return is_array($value) ? array_map(fn ($each) => told($each, $key, $binary), $value) : $value;
}

function call(SoapClient $client, array $call, array $binary): array
{
    $operation = $call['operation'];
    try {
        return ['reply' => told($client->$operation(given($call['argument'])), $operation, $binary)];
    } catch (SoapFault $fault) {
        $detail = isset($fault->detail) ? told($fault->detail, '', $binary) : null;
        return ['fault' => ['code' => $fault->faultcode, 'reason' => $fault->faultstring, 'detail' => $detail]];
    }
}

function session(array $session): array
{
    $options = ['login' => $session['user'], 'password' => $session['password']];
    if ($session['version'] === '1.2') {
        $options['soap_version'] = SOAP_1_2;
    }
    if ($session['trace']) {
        $options['trace'] = true;
    }
    $client = new SoapClient($session['wsdl'], $options);
    $answers = [];
    foreach ($session['calls'] as $name => $call) {
        $answer = call($client, $call, $session['binary']);
        if ($session['trace']) {
            $answer += ['sent' => $client->__getLastRequest(), 'received' => $client->__getLastResponse() ?? ''];
        }
        $answers[$name] = $answer;
    }
    preg_match_all('/ (\w+)\(/', implode("\n", $client->__getFunctions()), $names);
    return ['operations' => $names[1], 'answers' => $answers];
}

$sessions = json_decode(stream_get_contents(STDIN), true, 512, JSON_THROW_ON_ERROR);
echo json_encode(array_map('session', $sessions), JSON_THROW_ON_ERROR);
