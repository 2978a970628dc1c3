import java.io.ByteArrayInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.Properties;
import java.util.TreeSet;
import javax.security.auth.callback.CallbackHandler;
import javax.xml.parsers.DocumentBuilderFactory;
import org.apache.wss4j.common.crypto.CryptoFactory;
import org.apache.wss4j.common.ext.WSPasswordCallback;
import org.apache.wss4j.common.ext.WSSecurityException;
import org.apache.wss4j.dom.WSConstants;
import org.apache.wss4j.dom.WSDataRef;
import org.apache.wss4j.dom.engine.WSSConfig;
import org.apache.wss4j.dom.engine.WSSecurityEngine;
import org.apache.wss4j.dom.engine.WSSecurityEngineResult;
import org.apache.wss4j.dom.handler.RequestData;
import org.w3c.dom.Document;

/**
 * Verifies messages with the engine of WSS4J, in the order of the arguments. Arguments: the folder with partner.pem, the password,
 * then the files with messages. Prints what it found in each, or why it refuses it.
 */
class Judged {
  public static void main(String[] args) throws Exception {
    WSSConfig.init();
    Path folder = Path.of(args[0]);
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    byte[] pem = Files.readAllBytes(folder.resolve("partner.pem"));
    trusted.setCertificateEntry(
        "partner", CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(pem)));
    Path store = folder.resolve("trusted.p12");
    try (var to = Files.newOutputStream(store)) {
      trusted.store(to, "changeit".toCharArray());
    }
    Properties properties = new Properties();
    properties.put("org.apache.wss4j.crypto.provider", "org.apache.wss4j.common.crypto.Merlin");
    properties.put("org.apache.wss4j.crypto.merlin.keystore.type", "PKCS12");
    properties.put("org.apache.wss4j.crypto.merlin.keystore.file", store.toString());
    properties.put("org.apache.wss4j.crypto.merlin.keystore.password", "changeit");
    CallbackHandler passwords = callbacks -> ((WSPasswordCallback) callbacks[0]).setPassword(args[1]);
    for (int n = 2; n < args.length; n++) {
      RequestData data = new RequestData();
      data.setWssConfig(WSSConfig.getNewInstance());
      data.setCallbackHandler(passwords);
      data.setSigVerCrypto(CryptoFactory.getInstance(properties));
      System.out.println(verdict(Path.of(args[n]), data));
    }
  }

  private static String verdict(Path file, RequestData data) throws Exception {
    DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
    factory.setNamespaceAware(true);
    Document message = factory.newDocumentBuilder().parse(file.toFile());
    var found = new TreeSet<String>();
    try {
      for (WSSecurityEngineResult each : new WSSecurityEngine().processSecurityHeader(message, data).getResults()) {
        int action = (Integer) each.get(WSSecurityEngineResult.TAG_ACTION);
        if (action == WSConstants.UT) found.add("UsernameToken");
        if (action == WSConstants.TS) found.add("Timestamp");
        if (action != WSConstants.SIGN) continue;
        for (Object part : (Iterable<?>) each.get(WSSecurityEngineResult.TAG_DATA_REF_URIS))
          found.add("signed " + ((WSDataRef) part).getName().getLocalPart());
      }
      return String.join(", ", found);
    } catch (WSSecurityException error) {
      return "refused: " + error.getFaultCode().getLocalPart();
    }
  }
}
