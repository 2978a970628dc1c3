import jakarta.xml.ws.Endpoint;
import jakarta.xml.ws.Provider;
import jakarta.xml.ws.ServiceMode;
import jakarta.xml.ws.WebServiceProvider;
import java.io.StringReader;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.security.auth.callback.CallbackHandler;
import javax.xml.transform.Source;
import javax.xml.transform.stream.StreamSource;
import org.apache.cxf.configuration.jsse.TLSServerParameters;
import org.apache.cxf.configuration.security.ClientAuthentication;
import org.apache.cxf.jaxws.EndpointImpl;
import org.apache.cxf.transport.http_jetty.JettyHTTPServerEngineFactory;
import org.apache.wss4j.common.ext.WSPasswordCallback;

/**
 * Endpoints of CXF, whose policies are those of their WSDL files. Arguments: a key store with the key of
 * "server" and the certificate of "partner", then WSDL files. The path of each endpoint is the name of its file; it is reached over TLS if the address in the
 * file is. Prints both addresses when all of them listen.
 */
class Policies {
  public static void main(String[] args) throws Exception {
    Properties own = store(Path.of(args[0]));
    int port = freePort();
    int protectedPort = freePort();
    var tls = new TLSServerParameters();
    tls.setKeyManagers(keys(Path.of(args[0])));
    tls.setTrustManagers(trust(Path.of(args[0])));
    var clients = new ClientAuthentication();
    clients.setWant(true);
    tls.setClientAuthentication(clients);
    new JettyHTTPServerEngineFactory().setTLSServerParametersForPort("127.0.0.1", protectedPort, tls);
    for (int n = 1; n < args.length; n++) {
      Path wsdl = Path.of(args[n]);
      String name = wsdl.getFileName().toString().replace(".wsdl", "");
      var endpoint = (EndpointImpl) Endpoint.create(new Echo());
      endpoint.setWsdlLocation(wsdl.toUri().toString());
      Map<String, Object> properties = new HashMap<>();
      CallbackHandler passwords =
          callbacks -> {
            for (var each : callbacks) {
              var asked = (WSPasswordCallback) each;
              asked.setPassword(asked.getUsage() == WSPasswordCallback.USERNAME_TOKEN ? "s3cret" : "changeit");
            }
          };
      properties.put("ws-security.callback-handler", passwords);
      properties.put("ws-security.signature.properties", own);
      properties.put("ws-security.signature.username", "server");
      properties.put("ws-security.encryption.username", "partner");
      if (name.endsWith("256")) properties.put(
          "ws-security.asymmetric.signature.algorithm", "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256");
      endpoint.setProperties(properties);
      boolean isProtected = Files.readString(wsdl).contains("location=\"https:");
      endpoint.publish((isProtected ? "https://127.0.0.1:" + protectedPort : "http://127.0.0.1:" + port) + "/" + name);
    }
    System.out.println("listening at http://127.0.0.1:" + port + " and https://127.0.0.1:" + protectedPort);
  }

  private static int freePort() throws Exception {
    try (var free = new ServerSocket(0)) {
      return free.getLocalPort();
    }
  }

  private static KeyStore opened(Path file) throws Exception {
    return KeyStore.getInstance(file.toFile(), "changeit".toCharArray());
  }

  private static KeyManager[] keys(Path file) throws Exception {
    var factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    factory.init(opened(file), "changeit".toCharArray());
    return factory.getKeyManagers();
  }

  private static TrustManager[] trust(Path file) throws Exception {
    var factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(opened(file));
    return factory.getTrustManagers();
  }

  private static Properties store(Path file) {
    Properties properties = new Properties();
    properties.put("org.apache.wss4j.crypto.provider", "org.apache.wss4j.common.crypto.Merlin");
    properties.put("org.apache.wss4j.crypto.merlin.keystore.type", "PKCS12");
    properties.put("org.apache.wss4j.crypto.merlin.keystore.file", file.toString());
    properties.put("org.apache.wss4j.crypto.merlin.keystore.password", "changeit");
    properties.put("org.apache.wss4j.crypto.merlin.keystore.private.password", "changeit");
    return properties;
  }

  @ServiceMode(jakarta.xml.ws.Service.Mode.PAYLOAD)
  @WebServiceProvider(
      targetNamespace = "urn:signalbox:test:policies",
      serviceName = "PolicyService",
      portName = "PolicyPort")
  public static class Echo implements Provider<Source> {
    @Override
    public Source invoke(Source request) {
      return new StreamSource(
          new StringReader("<EchoReply xmlns='urn:signalbox:test:policies'><text>taken</text></EchoReply>"));
    }
  }
}
