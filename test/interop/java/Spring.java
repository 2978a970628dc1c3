import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import jakarta.xml.soap.MessageFactory;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Map;
import java.util.Properties;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.stream.StreamResult;
import javax.xml.transform.stream.StreamSource;
import org.apache.wss4j.common.crypto.Crypto;
import org.apache.wss4j.common.crypto.CryptoFactory;
import org.springframework.ws.client.core.WebServiceTemplate;
import org.springframework.ws.client.support.interceptor.ClientInterceptor;
import org.springframework.ws.context.DefaultMessageContext;
import org.springframework.ws.soap.client.SoapFaultClientException;
import org.springframework.ws.soap.saaj.SaajSoapMessageFactory;
import org.springframework.ws.soap.security.wss4j2.Wss4jSecurityInterceptor;
import org.springframework.ws.soap.security.wss4j2.callback.SimplePasswordValidationCallbackHandler;

/**
 * Endpoints of Spring-WS that demand what their paths name, and a client. Arguments: the folder with partner.key, partner.pem and
 * server.p12, a key store with the key of "server"; then address, namespace and shared secret of a gateway. Prints what the calls to
 * the gateway return, then the address of the endpoints, which end with the input.
 */
class Spring {
  private static final String SOAP = "{}{http://schemas.xmlsoap.org/soap/envelope/}Body;";
  private static final String PARTS = SOAP
      + "{}{http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd}Timestamp";
  private static final Map<String, String> DEMANDS = Map.of(
      "text", "UsernameToken",
      "digest", "UsernameToken",
      "time", "Timestamp",
      "signed", "Timestamp Signature",
      "all", "Timestamp UsernameToken Signature");

  public static void main(String[] args) {
    try {
      run(args);
    } catch (Exception error) {
      // The threads of the server would go on.
      error.printStackTrace();
      System.exit(1);
    }
  }

  private static void run(String[] args) throws Exception {
    Crypto crypto = crypto(Path.of(args[0]));
    var factory = new SaajSoapMessageFactory(MessageFactory.newInstance());
    factory.afterPropertiesSet();
    HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    for (var each : DEMANDS.entrySet()) {
      Wss4jSecurityInterceptor security = demanding(each.getValue(), crypto);
      server.createContext("/" + each.getKey(), exchange -> answer(exchange, factory, security));
    }
    server.start();
    var signature = new Wss4jSecurityInterceptor();
    sign(signature, "partner", crypto);
    System.out.println("signed: " + call(factory, args, "SIGNED", signature));
    var token = new Wss4jSecurityInterceptor();
    token.setSecurementActions("UsernameToken");
    token.setSecurementUsername("demo");
    token.setSecurementPassword(args[3]);
    System.out.println("digest: " + call(factory, args, "DIGEST", token));
    token.setSecurementPassword("wrong");
    System.out.println("wrong: " + call(factory, args, "DIGEST", token));
    System.out.println("listening at http://127.0.0.1:" + server.getAddress().getPort());
    System.in.read();
    server.stop(0);
  }

  private static Wss4jSecurityInterceptor demanding(String actions, Crypto crypto) throws Exception {
    var passwords = new SimplePasswordValidationCallbackHandler();
    passwords.setUsersMap(Map.of("demo", "s3cret"));
    var security = new Wss4jSecurityInterceptor();
    security.setValidationActions(actions);
    security.setValidationCallbackHandler(passwords);
    security.setValidationSignatureCrypto(crypto);
    if (actions.contains("Signature")) sign(security, "server", crypto);
    security.afterPropertiesSet();
    return security;
  }

  /** What is sent is signed with SHA-256. */
  private static void sign(Wss4jSecurityInterceptor security, String alias, Crypto crypto) throws Exception {
    security.setSecurementActions("Timestamp Signature");
    security.setSecurementUsername(alias);
    security.setSecurementPassword("changeit");
    security.setSecurementSignatureCrypto(crypto);
    security.setSecurementSignatureKeyIdentifier("DirectReference");
    security.setSecurementSignatureAlgorithm("http://www.w3.org/2001/04/xmldsig-more#rsa-sha256");
    security.setSecurementSignatureDigestAlgorithm("http://www.w3.org/2001/04/xmlenc#sha256");
    security.setSecurementSignatureParts(PARTS);
    // Replies of the gateway are not signed.
    if (alias.equals("partner")) security.setValidateResponse(false);
  }

  private static void answer(HttpExchange exchange, SaajSoapMessageFactory factory, Wss4jSecurityInterceptor security)
      throws IOException {
    var bytes = new ByteArrayOutputStream();
    int status = 500;
    try {
      var context = new DefaultMessageContext(factory.createWebServiceMessage(exchange.getRequestBody()), factory);
      if (security.handleRequest(context, null)) {
        status = 200;
        String reply = "<EchoReply xmlns='urn:signalbox:test:policies'><text>taken</text></EchoReply>";
        TransformerFactory.newInstance().newTransformer()
            .transform(new StreamSource(new StringReader(reply)), context.getResponse().getPayloadResult());
        security.handleResponse(context, null);
      }
      context.getResponse().writeTo(bytes);
    } catch (Exception error) {
      error.printStackTrace();
    }
    exchange.getResponseHeaders().add("Content-Type", "text/xml; charset=utf-8");
    exchange.sendResponseHeaders(status, bytes.size());
    exchange.getResponseBody().write(bytes.toByteArray());
    exchange.close();
  }

  private static String call(
      SaajSoapMessageFactory factory, String[] args, String operation, Wss4jSecurityInterceptor security)
      throws Exception {
    security.afterPropertiesSet();
    var template = new WebServiceTemplate(factory);
    template.setInterceptors(new ClientInterceptor[] {security});
    // By default faults with another status than 500 are exceptions of the transport.
    template.setCheckConnectionForError(false);
    template.setCheckConnectionForFault(false);
    String xml = "<" + operation + " xmlns='" + args[2] + "'><S>Gr\u00fc\u00dfe</S></" + operation + ">";
    var text = new StringWriter();
    try {
      template.sendSourceAndReceiveToResult(args[1], new StreamSource(new StringReader(xml)), new StreamResult(text));
      return text.toString().replaceAll("<[^>]*>", "");
    } catch (SoapFaultClientException fault) {
      return fault.getMessage();
    }
  }

  private static Crypto crypto(Path folder) throws Exception {
    String pem = Files.readString(folder.resolve("partner.key")).replaceAll("-----[^-]+-----|\\s", "");
    var key = KeyFactory.getInstance("RSA").generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(pem)));
    byte[] own = Files.readAllBytes(folder.resolve("partner.pem"));
    var certificate = CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(own));
    char[] password = "changeit".toCharArray();
    KeyStore store = KeyStore.getInstance(folder.resolve("server.p12").toFile(), password);
    store.setKeyEntry("partner", key, password, new Certificate[] {certificate});
    Path file = folder.resolve("both.p12");
    try (var to = Files.newOutputStream(file)) {
      store.store(to, password);
    }
    Properties properties = new Properties();
    properties.put("org.apache.wss4j.crypto.provider", "org.apache.wss4j.common.crypto.Merlin");
    properties.put("org.apache.wss4j.crypto.merlin.keystore.type", "PKCS12");
    properties.put("org.apache.wss4j.crypto.merlin.keystore.file", file.toString());
    properties.put("org.apache.wss4j.crypto.merlin.keystore.password", "changeit");
    properties.put("org.apache.wss4j.crypto.merlin.keystore.private.password", "changeit");
    return CryptoFactory.getInstance(properties);
  }
}
