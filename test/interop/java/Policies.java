import jakarta.xml.ws.Endpoint;
import jakarta.xml.ws.Provider;
import jakarta.xml.ws.ServiceMode;
import jakarta.xml.ws.WebServiceProvider;
import java.io.StringReader;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import javax.security.auth.callback.CallbackHandler;
import javax.xml.transform.Source;
import javax.xml.transform.stream.StreamSource;
import org.apache.cxf.jaxws.EndpointImpl;
import org.apache.wss4j.common.ext.WSPasswordCallback;

/**
 * Endpoints of CXF, whose policies are those of their WSDL files. Arguments: a key store with the key of
 * "server" and the certificate of "partner", then WSDL files. The path of each endpoint is the name of its file. Prints the address when all of them listen.
 */
class Policies {
  public static void main(String[] args) throws Exception {
    Properties own = store(Path.of(args[0]));
    int port;
    try (var free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    String address = "http://127.0.0.1:" + port;
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
      endpoint.publish(address + "/" + name);
    }
    System.out.println("listening at " + address);
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
