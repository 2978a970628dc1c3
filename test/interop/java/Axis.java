import javax.xml.namespace.QName;
import org.apache.axis.AxisFault;
import org.apache.axis.client.Call;
import org.apache.axis.client.Service;

/**
 * Calls a service with Axis 1.4, which reads its WSDL. Arguments: the address of the WSDL, its namespace, the names of service and
 * port, and the text to send. Prints what the operations return and throw.
 */
class Axis {
  public static void main(String[] args) throws Exception {
    var service = new Service(args[0], new QName(args[1], args[2]));
    for (String operation : new String[] {"SAY", "KEEP", "REFUSE"}) System.out.println(said(service, args, operation));
  }

  private static String said(Service service, String[] args, String operation) throws Exception {
    var call = (Call) service.createCall(new QName(args[1], args[3]), new QName(args[1], operation));
    call.setUsername("demo");
    call.setPassword("demo");
    try {
      Object returned = call.invoke(new Object[] {args[4]});
      String text = returned instanceof byte[] bytes ? new String(bytes, "UTF-8") : String.valueOf(returned);
      return operation + " " + text;
    } catch (AxisFault fault) {
      return operation + " " + fault.getFaultCode().getLocalPart() + " " + fault.getFaultString();
    }
  }
}
