<?php
// Reads WSDLs with PHP's SoapClient: a path a line, one JSON answer a line.
ini_set('soap.wsdl_cache_enabled', '0');
// Nothing of the network.
libxml_set_external_entity_loader(fn ($public, $system) => preg_match('/^https?:/i', $system) ? null : $system);
while (($line = fgets(STDIN)) !== false) {
    $file = trim($line);
    try {
        $client = @new SoapClient($file, ['cache_wsdl' => WSDL_CACHE_NONE]);
        $answer = ['operations' => array_map(fn ($each) => preg_replace('/^.* (\S+)\(.*$/s', '$1', $each), $client->__getFunctions())];
    } catch (Throwable $error) {
        $answer = ['error' => $error->getMessage()];
    }
    echo json_encode(['file' => $file] + $answer, JSON_INVALID_UTF8_SUBSTITUTE), "\n";
}
