<?php
// The partner of partner.ts with PHP's SoapServer, behind `php -S`. PARTNER_WSDL names the WSDL.

const HEADERS = ['CONTENT_TYPE', 'HTTP_SOAPACTION', 'HTTP_CONTENT_ENCODING'];
const NIL = '<p:SHIPPED xmlns:p="urn:test:Partner.v1" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="1"/>';

if (($_SERVER['PHP_AUTH_USER'] ?? '') !== 'partner' || ($_SERVER['PHP_AUTH_PW'] ?? '') !== 'hush') {
    header('WWW-Authenticate: Basic realm="partner"', true, 401);
    exit('Wer da?');
}

final class Partner
{
    public function __construct(private readonly string $note)
    {
    }

    public function ORDER_SEND(stdClass $order): array
    {
        // Bytes are a string in PHP, which JSON takes for UTF-8.
        $seen = ['CHECKSUM' => base64_encode($order->CHECKSUM ?? '')] + get_object_vars($order);
        $order->SHIPPED = new SoapVar(NIL, XSD_ANYXML);
        return [
            'HEAD' => implode("\n", array_map(fn ($name) => $_SERVER[$name] ?? '', HEADERS)),
            'SEEN' => json_encode($seen, JSON_THROW_ON_ERROR),
            'BACK' => $order,
        ];
    }

    public function PACKED_SEND(stdClass $order): array
    {
        return $this->ORDER_SEND($order);
    }

    public function NOTE_SEND(stdClass $request): void
    {
        file_put_contents($this->note, $request->TEXT);
    }

    public function NOTE_GET(): array
    {
        return ['TEXT' => file_get_contents($this->note)];
    }

    public function TROUBLE(stdClass $request): never
    {
        $detail = ['CODE' => $request->CODE, 'TEXT' => 'Grüße & <mehr>', 'LINES' => ['item' => [1, 2]]];
        throw new SoapFault($request->CODE, 'Ärger ]]> & <mehr>', null, $detail, 'ORDER_FAULT');
    }
}

$wsdl = getenv('PARTNER_WSDL');
$server = new SoapServer($wsdl, ['cache_wsdl' => WSDL_CACHE_NONE]);
$server->setObject(new Partner(dirname($wsdl) . '/note.txt'));
$server->handle();
