import jakarta.xml.ws.Dispatch;
import jakarta.xml.ws.Service;
import jakarta.xml.ws.WebServiceException;
import jakarta.xml.ws.soap.SOAPBinding;
import java.io.ByteArrayInputStream;
import java.io.OutputStream;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import javax.security.auth.callback.CallbackHandler;
import javax.xml.namespace.QName;
import javax.xml.transform.Source;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.stream.StreamResult;
import javax.xml.transform.stream.StreamSource;
import org.apache.cxf.jaxws.DispatchImpl;
import org.apache.cxf.ws.security.wss4j.WSS4JOutInterceptor;
import org.apache.wss4j.common.ext.WSPasswordCallback;

/**
 * Calls operations with WSS4J in CXF. Arguments: the address, the namespace of the service, the folder with partner.key and
 * partner.pem, the shared secret, and the file that holds the settings of a signature, as the document has them. Prints what
 * came of each call.
 */
class Signed {
  public static void main(String[] args) throws Exception {
    String secret = args[3];
    Map<String, Object> crypto = crypto(Path.of(args[2]));
    Map<String, Object> signature = new HashMap<>(crypto);
    Properties settings = new Properties();
    settings.load(Files.newBufferedReader(Path.of(args[4])));
    settings.forEach((name, value) -> signature.put((String) name, value));
    Map<String, Object> defaults = new HashMap<>(crypto);
    defaults.putAll(Map.of("action", "Timestamp Signature", "user", "partner"));
    Map<String, Object> digest = new HashMap<>(
        Map.of("action", "UsernameToken", "user", "demo", "passwordType", "PasswordDigest"));
    // Without this setting WSS4J names the certificate by issuer and serial number.
    Map<String, Object> named = new HashMap<>(signature);
    named.remove("signatureKeyIdentifier");
    for (Map<String, Object> each : new Map[] {signature, defaults, named}) each.put("passwordCallbackRef", password("changeit"));
    digest.put("passwordCallbackRef", password(secret));
    call("signature", "SIGNED", args, signature);
    call("signature of the defaults", "SIGNED", args, defaults);
    call("digest", "DIGEST", args, digest);
    call("named where the scheme has no certificates", "SIGNED", args, named);
    call("named", "NAMED", args, named);
  }

  private static CallbackHandler password(String password) {
    return callbacks -> ((WSPasswordCallback) callbacks[0]).setPassword(password);
  }

  private static Map<String, Object> crypto(Path folder) throws Exception {
    String pem = Files.readString(folder.resolve("partner.key")).replaceAll("-----[^-]+-----|\\s", "");
    var key = KeyFactory.getInstance("RSA").generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(pem)));
    byte[] certificate = Files.readAllBytes(folder.resolve("partner.pem"));
    Certificate own = CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(certificate));
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    store.setKeyEntry("partner", key, "changeit".toCharArray(), new Certificate[] {own});
    Path file = folder.resolve("partner.p12");
    try (OutputStream to = Files.newOutputStream(file)) {
      store.store(to, "changeit".toCharArray());
    }
    Properties properties = new Properties();
    properties.put("org.apache.wss4j.crypto.provider", "org.apache.wss4j.common.crypto.Merlin");
    properties.put("org.apache.wss4j.crypto.merlin.keystore.type", "PKCS12");
    properties.put("org.apache.wss4j.crypto.merlin.keystore.file", file.toString());
    properties.put("org.apache.wss4j.crypto.merlin.keystore.password", "changeit");
    return Map.of("signaturePropRefId", "crypto", "crypto", properties);
  }

  private static void call(String name, String operation, String[] args, Map<String, Object> properties)
      throws Exception {
    Service service = Service.create(new QName(args[1], "S"));
    QName port = new QName(args[1], "P");
    service.addPort(port, SOAPBinding.SOAP11HTTP_BINDING, args[0]);
    Dispatch<Source> dispatch = service.createDispatch(port, Source.class, Service.Mode.PAYLOAD);
    dispatch.getRequestContext().put("org.apache.cxf.transport.no_io_exceptions", true);
    ((DispatchImpl<?>) dispatch).getClient().getOutInterceptors().add(new WSS4JOutInterceptor(properties));
    String xml = "<" + operation + " xmlns='" + args[1] + "'><S>Grüße &amp; &lt;b></S></" + operation + ">";
    try {
      StringWriter text = new StringWriter();
      Source reply = dispatch.invoke(new StreamSource(new StringReader(xml)));
      TransformerFactory.newInstance().newTransformer().transform(reply, new StreamResult(text));
      System.out.println(name + ": " + text.toString().replaceAll("<[^>]*>", ""));
    } catch (WebServiceException fault) {
      Throwable cause = fault.getCause() == null ? fault : fault.getCause();
      System.out.println(name + ": " + cause.getMessage());
    }
  }
}
