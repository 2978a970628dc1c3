import client.LOCFAULTMessage;
import client.LocationSetupPortType;
import client.LocationSetupService;
import jakarta.xml.ws.BindingProvider;
import jakarta.xml.ws.Holder;
import jakarta.xml.ws.soap.SOAPFaultException;
import java.math.BigInteger;
import java.net.URI;
import java.util.GregorianCalendar;
import java.util.List;
import java.util.TimeZone;
import javax.xml.datatype.DatatypeFactory;
import javax.xml.datatype.XMLGregorianCalendar;

/**
 * Changes locations with a client that was generated without options, and leaves whatever it does not change as the client
 * has it: null. Arguments: the address of the WSDL, and the prefix of the locations.
 */
class Change {
  private static String wsdl;

  public static void main(String[] args) throws Exception {
    wsdl = args[0];
    String prefix = args[1];
    change(port("demo"), prefix + 1, new Holder<>("212/555-0199"), new Holder<>(), null);
    change(port("demo"), prefix + 2, new Holder<>(), new Holder<>(), List.of("PHONE", "FAX"));
    GregorianCalendar day = new GregorianCalendar(TimeZone.getTimeZone("GMT+01:00"));
    day.set(2027, 0, 2);
    XMLGregorianCalendar date = DatatypeFactory.newInstance().newXMLGregorianCalendar(day);
    change(port("demo"), prefix + 3, new Holder<>(), new Holder<>(date), null);
    try {
      change(port("guest"), prefix + 1, new Holder<>("0"), new Holder<>(), null);
    } catch (LOCFAULTMessage fault) {
      System.out.println("typed: " + fault.getFaultInfo().getMESSAGE());
    } catch (SOAPFaultException fault) {
      System.out.println("untyped: " + fault.getFault().getFaultString());
    }
  }

  private static LocationSetupPortType port(String user) throws Exception {
    LocationSetupPortType port = new LocationSetupService(URI.create(wsdl).toURL()).getLocationSetupSoap11Port();
    ((BindingProvider) port).getRequestContext().put(BindingProvider.USERNAME_PROPERTY, user);
    ((BindingProvider) port).getRequestContext().put(BindingProvider.PASSWORD_PROPERTY, user);
    return port;
  }

  private static void change(LocationSetupPortType port, String location, Holder<String> phone,
      Holder<XMLGregorianCalendar> day, List<String> clear) throws LOCFAULTMessage {
    port.locationPATCH(new Holder<>("N"), new Holder<>(location), text(), text(), text(), text(), text(), text(), phone,
        text(), text(), day, text(), text(), new Holder<BigInteger>(), clear);
  }

  private static Holder<String> text() {
    return new Holder<>();
  }
}
