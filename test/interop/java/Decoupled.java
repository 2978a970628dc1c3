import jakarta.xml.ws.BindingProvider;
import jakarta.xml.ws.soap.SOAPFaultException;
import java.nio.file.Path;
import org.apache.cxf.endpoint.Client;
import org.apache.cxf.frontend.ClientProxy;
import org.apache.cxf.transport.http.HTTPConduit;
import org.apache.cxf.transports.http.configuration.HTTPClientPolicy;
import org.apache.cxf.ws.addressing.WSAddressingFeature;

/**
 * Asks for prices with the classes that CXF wrote from the WSDL, and its own feature for WS-Addressing: replies come to an endpoint
 * of the client. Arguments: the file of the WSDL, and the address of that endpoint. Prints what the methods return and throw.
 */
class Decoupled {
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

  private static void run(String[] args) throws Exception {
    var service = new prices.PricesService(Path.of(args[0]).toUri().toURL());
    ask(service.getPricesSoap11Port(new WSAddressingFeature()), args[1] + "/soap11");
    ask(service.getPricesSoap12Port(new WSAddressingFeature()), args[1] + "/soap12");
    var plain = service.getPricesSoap11Port();
    signIn(plain);
    System.out.println("without an endpoint " + plain.priceASK("BOOK"));
  }

  private static void ask(prices.PricesPortType port, String endpoint) {
    signIn(port);
    Client client = ClientProxy.getClient(port);
    var policy = new HTTPClientPolicy();
    policy.setDecoupledEndpoint(endpoint);
    policy.setReceiveTimeout(60_000);
    ((HTTPConduit) client.getConduit()).setClient(policy);
    System.out.println("price " + port.priceASK("BOOK"));
    System.out.println("price " + port.priceASK("LAMP"));
    try {
      port.priceASK("GONE");
    } catch (SOAPFaultException fault) {
      System.out.println("fault " + fault.getFault().getFaultString());
    }
  }

  private static void signIn(prices.PricesPortType port) {
    var context = ((BindingProvider) port).getRequestContext();
    context.put(BindingProvider.USERNAME_PROPERTY, "demo");
    context.put(BindingProvider.PASSWORD_PROPERTY, "demo");
  }
}
