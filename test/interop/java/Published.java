import jakarta.xml.ws.BindingProvider;
import jakarta.xml.ws.Dispatch;
import jakarta.xml.ws.Service;
import jakarta.xml.ws.handler.MessageContext;
import java.io.StringReader;
import java.nio.file.Path;
import java.util.Map;
import javax.xml.namespace.QName;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.transform.Source;
import javax.xml.transform.stream.StreamSource;
import org.w3c.dom.Element;

/**
 * Publishes a message one-way with CXF, by a WSDL. Arguments: the file of the WSDL, user and password, and the values of FROM and
 * TEXT. Prints the status of the reply.
 */
class Published {
  private static final String WSDL = "http://schemas.xmlsoap.org/wsdl/";

  public static void main(String[] args) throws Exception {
    DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
    factory.setNamespaceAware(true);
    Element wsdl = factory.newDocumentBuilder().parse(args[0]).getDocumentElement();
    String namespace = wsdl.getAttribute("targetNamespace");
    Element service = (Element) wsdl.getElementsByTagNameNS(WSDL, "service").item(0);
    Element port = (Element) service.getElementsByTagNameNS(WSDL, "port").item(0);
    Service client = Service.create(Path.of(args[0]).toUri().toURL(), new QName(namespace, service.getAttribute("name")));
    Dispatch<Source> dispatch = client.createDispatch(
        new QName(namespace, port.getAttribute("name")), Source.class, Service.Mode.PAYLOAD);
    Map<String, Object> context = dispatch.getRequestContext();
    context.put(BindingProvider.USERNAME_PROPERTY, args[1]);
    context.put(BindingProvider.PASSWORD_PROPERTY, args[2]);
    String xml = "<NOTE_PUBLISH xmlns='" + namespace + "'><FROM>" + args[3] + "</FROM><TEXT>"
        + args[4].replace("&", "&amp;").replace("<", "&lt;") + "</TEXT></NOTE_PUBLISH>";
    dispatch.invokeOneWay(new StreamSource(new StringReader(xml)));
    System.out.println(dispatch.getResponseContext().get(MessageContext.HTTP_RESPONSE_CODE));
  }
}
