import jakarta.activation.DataHandler;
import jakarta.activation.DataSource;
import jakarta.xml.ws.BindingProvider;
import jakarta.xml.ws.Holder;
import jakarta.xml.ws.soap.SOAPFaultException;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.math.BigInteger;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import javax.xml.datatype.DatatypeFactory;
import javax.xml.datatype.XMLGregorianCalendar;

/**
 * Calls the services of the sample with the classes that a generator wrote from their WSDLs, each service in a package of its
 * own, and prints what came of it. The same code is for every generator: how a WSDL becomes methods is in the standard
 * (Jakarta XML Web Services 3.0, chapter 2). The argument is the address of the connector.
 */
class Calls {
  public static void main(String[] args) throws Exception {
    String connector = args[0];
    locations(signedIn(new locations.LocationsService(wsdl(connector, "Locations.v1")).getLocationsSoap11Port()));
    attachments(signedIn(new attachments.AttachmentsService(wsdl(connector, "Attachments.v1")).getAttachmentsSoap11Port()));
    setup(signedIn(new setup.LocationSetupService(wsdl(connector, "LocationSetup.v1")).getLocationSetupSoap11Port()));
    processes(signedIn(new processes.PROCESSREQUESTService(wsdl(connector, "PROCESSREQUEST.v1")).getPROCESSREQUESTSoap11Port()));
    queries(signedIn(new queries.QASQRYSERVICEService(wsdl(connector, "QAS_QRY_SERVICE.v1")).getQASQRYSERVICESoap11Port()));
  }

  private static URL wsdl(String connector, String service) throws Exception {
    return URI.create(connector + "/" + service + "?wsdl").toURL();
  }

  private static <Port> Port signedIn(Port port) {
    var context = ((BindingProvider) port).getRequestContext();
    context.put(BindingProvider.USERNAME_PROPERTY, "demo");
    context.put(BindingProvider.PASSWORD_PROPERTY, "demo");
    return port;
  }

  private static void locations(locations.LocationsPortType port) throws Exception {
    var found = new Holder<locations.LOCRESPONSE.LOCDATA>();
    var employees = new Holder<locations.LOCRESPONSE.EMPDATA>();
    port.locationsGET("N", null, found, employees);
    for (var location : found.value.getLOCDTLVW()) System.out.println("location " + location.getLOCATION());
  }

  private static void attachments(attachments.AttachmentsPortType port) throws Exception {
    var name = new Holder<>("java.txt");
    var length = new Holder<BigInteger>();
    port.attachmentPUT(name, "text/plain", text("Grüße aus Java"), length, new Holder<>());
    System.out.println("kept " + length.value + " bytes as " + name.value);
    var content = new Holder<DataHandler>();
    port.attachmentGET(name, new Holder<>(), content);
    try (InputStream stream = content.value.getInputStream()) {
      System.out.println("content " + new String(stream.readAllBytes(), StandardCharsets.UTF_8));
    }
  }

  private static DataHandler text(String content) {
    return new DataHandler(new DataSource() {
      public InputStream getInputStream() {
        return new ByteArrayInputStream(content.getBytes(StandardCharsets.UTF_8));
      }

      public OutputStream getOutputStream() {
        throw new UnsupportedOperationException();
      }

      public String getContentType() {
        return "text/plain";
      }

      public String getName() {
        return "java.txt";
      }
    });
  }

  private static void setup(setup.LocationSetupPortType port) throws Exception {
    System.out.println("head office " + descriptionOf(port, "NYC01"));
    try {
      descriptionOf(port, "NOWHERE");
    } catch (setup.LOCFAULTMessage fault) {
      System.out.println("fault " + fault.getFaultInfo().getMESSAGE());
    }
  }

  private static String descriptionOf(setup.LocationSetupPortType port, String location) throws Exception {
    var text = new Holder<String>();
    port.locationGET(
        new Holder<>("N"), new Holder<>(location), text, any(), any(), any(), any(), any(), any(), any(), any(),
        new Holder<XMLGregorianCalendar>(), any(), any(), new Holder<BigInteger>());
    return text.value;
  }

  private static Holder<String> any() {
    return new Holder<>();
  }

  private static void processes(processes.PROCESSREQUESTPortType port) throws Exception {
    var region = new processes.PRQSCHEDULEREQParametersParameter();
    region.setName("REGION");
    region.setValue("N");
    var parameters = new processes.PRQSCHEDULEREQ.Parameters();
    parameters.getParameter().add(region);
    var later = DatatypeFactory.newInstance().newXMLGregorianCalendar("2099-01-01T00:00:00Z");
    BigInteger instance = port.prcsSCHEDULE(
        "JAVA", "Application Engine", "LOCATION_EXTRACT", null, later, null, null, "WEB", null, parameters);
    var status = new Holder<>("Cancelled");
    var name = new Holder<String>();
    port.prcsUPDATEREQUEST(
        new Holder<>(instance), status, name, any(), any(), any(), any(), new Holder<>(), new Holder<>(), new Holder<>(),
        new Holder<>(), any(), any(), any(), new Holder<>(), any(), new Holder<>(), new Holder<>(), any());
    System.out.println("process " + name.value + " " + status.value);
    try {
      port.prcsGETREPORT(instance, new Holder<>(), any());
    } catch (SOAPFaultException fault) {
      System.out.println("fault " + fault.getFault().getDetail().getFirstChild().getLocalName());
    }
  }

  private static void queries(queries.QASQRYSERVICEPortType port) throws Exception {
    for (var query : port.qasLISTQUERYOPER("PUBLIC", "DEPARTMENTS", null, null, null).getItem())
      System.out.println("query " + query.getQueryName());
    String instance = port.qasEXECUTEQRYSYNCPOLLOPER(
        "PUBLIC", "DEPARTMENTS", "XMLP", "NONFILE", null, null, null, null, null, null, null);
    String cancelled = port.qasCANCELQUERYOPER(instance, null);
    System.out.println("query run " + (cancelled.equals("idNotFound") ? "lost" : "found"));
  }
}
