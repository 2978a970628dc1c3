import jakarta.xml.ws.BindingProvider;
import jakarta.xml.ws.Dispatch;
import jakarta.xml.ws.Endpoint;
import jakarta.xml.ws.Provider;
import jakarta.xml.ws.Service;
import jakarta.xml.ws.ServiceMode;
import jakarta.xml.ws.WebServiceProvider;
import jakarta.xml.ws.soap.AddressingFeature;
import jakarta.xml.ws.soap.SOAPFaultException;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.file.Path;
import javax.xml.namespace.QName;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.transform.OutputKeys;
import javax.xml.transform.Source;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.stream.StreamResult;
import javax.xml.transform.stream.StreamSource;
import org.w3c.dom.Element;

/**
 * CXF with WS-Addressing, which it requires on both sides. Arguments: the address at which it serves, and the file of a WSDL. It calls
 * the operations of the WSDL, and prints what they return and throw.
 */
class Addressed {
  /** The threads of the endpoint would keep a failed run alive. */
  public static void main(String[] args) {
    try {
      run(args);
      System.exit(0);
    } catch (Throwable error) {
      error.printStackTrace();
      System.exit(1);
    }
  }

  /** Answers with what it gets, in the element of a reply. */
  @WebServiceProvider(serviceName = "Far", portName = "FarPort", targetNamespace = "urn:far")
  @ServiceMode(Service.Mode.PAYLOAD)
  public static class Far implements Provider<Source> {
    @Override
    public Source invoke(Source request) {
      try {
        return new StreamSource(new StringReader(textOf(request).replaceAll("\\bFAR\\b", "FARResponse")));
      } catch (Exception error) {
        throw new IllegalStateException(error);
      }
    }
  }

  private static void run(String[] args) throws Exception {
    Endpoint.create(null, new Far(), new AddressingFeature(true, true)).publish(args[0] + "/far");
    System.out.println(said(args[1], "ECHO", "here", true));
    System.out.println(said(args[1], "RELAY", "there", true));
    System.out.println(said(args[1], "ECHO", "plain", false));
  }

  private static String said(String file, String operation, String text, boolean addressed) throws Exception {
    DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
    factory.setNamespaceAware(true);
    Element wsdl = factory.newDocumentBuilder().parse(file).getDocumentElement();
    String namespace = wsdl.getAttribute("targetNamespace");
    Element service = (Element) wsdl.getElementsByTagNameNS("http://schemas.xmlsoap.org/wsdl/", "service").item(0);
    Element port = (Element) service.getElementsByTagNameNS("http://schemas.xmlsoap.org/wsdl/", "port").item(0);
    Service client = Service.create(Path.of(file).toUri().toURL(), new QName(namespace, service.getAttribute("name")));
    Dispatch<Source> dispatch = client.createDispatch(new QName(namespace, port.getAttribute("name")), Source.class,
        Service.Mode.PAYLOAD, new AddressingFeature(addressed, addressed));
    dispatch.getRequestContext().put(BindingProvider.USERNAME_PROPERTY, "demo");
    dispatch.getRequestContext().put(BindingProvider.PASSWORD_PROPERTY, "demo");
    dispatch.getRequestContext().put(BindingProvider.SOAPACTION_USE_PROPERTY, true);
    dispatch.getRequestContext().put(BindingProvider.SOAPACTION_URI_PROPERTY, operation + ".v1");
    String xml = "<" + operation + " xmlns='" + namespace + "'><TEXT>" + text + "</TEXT></" + operation + ">";
    try {
      return textOf(dispatch.invoke(new StreamSource(new StringReader(xml)))).replaceAll(" xmlns(:\\w+)?=\"[^\"]*\"", "");
    } catch (SOAPFaultException fault) {
      return fault.getFault().getFaultString();
    }
  }

  private static String textOf(Source source) throws Exception {
    var writer = new StringWriter();
    var transformer = TransformerFactory.newInstance().newTransformer();
    transformer.setOutputProperty(OutputKeys.OMIT_XML_DECLARATION, "yes");
    transformer.transform(source, new StreamResult(writer));
    return writer.toString();
  }
}
