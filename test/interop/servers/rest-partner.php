<?php
// A partner over REST, behind `php -S`: see rest-servers-php.test.ts. It says what it was sent, as PHP itself reads it.

$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
$body = file_get_contents('php://input');

function say(int $status, string $type, string $text): never
{
    http_response_code($status);
    header("Content-Type: $type");
    exit($text);
}

function sayJson(int $status, mixed $value): never
{
    say($status, 'application/json', json_encode($value, JSON_THROW_ON_ERROR | JSON_PRESERVE_ZERO_FRACTION));
}

switch (true) {
    case $path === '/form':
        sayJson(200, ['type' => $_SERVER['CONTENT_TYPE'], 'post' => $_POST, 'raw' => $body]);
    case $path === '/json':
        $value = json_decode($body, false, 64, JSON_THROW_ON_ERROR | JSON_BIGINT_AS_STRING);
        sayJson(200, ['type' => $_SERVER['CONTENT_TYPE'], 'value' => $value, 'raw' => $body]);
    case $path === '/search':
        // PHP keeps the last of values with one name, unless that ends in [].
        sayJson(200, ['get' => $_GET, 'raw' => $_SERVER['QUERY_STRING']]);
    case str_starts_with($path, '/names/'):
        sayJson(200, ['name' => rawurldecode(substr($path, strlen('/names/')))]);
    case $path === '/order':
        $order = new DOMDocument();
        $order->loadXML($body);
        $order->documentElement->setAttribute('seen', $_SERVER['CONTENT_TYPE']);
        $order->documentElement->appendChild($order->createElement('UNKNOWN', 'what nobody declared'));
        $order->encoding = 'ISO-8859-1';
        // Else it says of every text that it is in UTF-8.
        ini_set('default_charset', '');
        say(200, 'text/xml', $order->saveXML());
    case $path === '/bytes':
        sayJson(200, ['type' => $_SERVER['CONTENT_TYPE'], 'length' => strlen($body), 'sha256' => hash('sha256', $body)]);
    case $path === '/who':
        if (!isset($_SERVER['PHP_AUTH_USER'])) {
            header('WWW-Authenticate: Basic realm="partner"');
            say(401, 'text/plain', 'Wer da?');
        }
        sayJson(200, ['user' => $_SERVER['PHP_AUTH_USER'], 'password' => $_SERVER['PHP_AUTH_PW']]);
    case $path === '/trouble':
        sayJson(422, ['status' => 'failure', 'error' => ['message' => 'Ärger & <mehr>', 'detail' => 'Zeile 3']]);
    case $path === '/warning':
        // What PHP writes by itself where something is amiss.
        ini_set('display_errors', '1');
        echo $undefined;
        say(200, 'application/json', '{"user":"me"}');
    default:
        say(404, 'text/html', "<h1>$path</h1>");
}
