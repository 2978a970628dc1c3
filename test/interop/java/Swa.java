import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import jakarta.activation.DataHandler;
import jakarta.mail.util.ByteArrayDataSource;
import jakarta.xml.soap.AttachmentPart;
import jakarta.xml.soap.MessageFactory;
import jakarta.xml.soap.MimeHeader;
import jakarta.xml.soap.MimeHeaders;
import jakarta.xml.soap.SOAPBody;
import jakarta.xml.soap.SOAPConnectionFactory;
import jakarta.xml.soap.SOAPElement;
import jakarta.xml.soap.SOAPMessage;
import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;

/**
 * SOAP with Attachments as SAAJ, the reference implementation, writes and reads it. `call ADDRESS` calls operations of scans with
 * attachments and prints what came back; `serve` is a server of the same operations, and prints its address.
 */
class Swa {
  private static final String SCANS = "urn:scans";
  /** Every byte, with what looks like a delimiter. */
  private static final byte[] TRICKY = tricky();

  public static void main(String[] args) throws Exception {
    if (args[0].equals("serve")) serve();
    else call(args[1]);
  }

  private static byte[] tricky() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.writeBytes("\r\n--boundary\r\n------=_Part_0\r\n\n".getBytes(StandardCharsets.US_ASCII));
    for (int each = 0; each < 256; each++) bytes.write(each);
    bytes.writeBytes("\r\n--".getBytes(StandardCharsets.US_ASCII));
    return bytes.toByteArray();
  }

  private static void call(String address) throws Exception {
    // Parts with the names of the contract, in another order than there (WS-I Attachments Profile 1.0, section 3.8).
    SOAPMessage named = message("SCAN_SAVE");
    attach(named, "<notes=1@saaj.example.org>", "text/plain", "Notizen für alle".getBytes(StandardCharsets.UTF_8));
    attach(named, "<PHOTO=2@saaj.example.org>", "image/jpeg", TRICKY);
    show("named", ask(named, address));

    SOAPMessage nameless = message("SCAN_SAVE");
    attach(nameless, "<a@saaj.example.org>", "image/gif", TRICKY);
    attach(nameless, "<b@saaj.example.org>", "text/plain", new byte[] {98});
    show("in order", ask(nameless, address));

    SOAPMessage rpc = message("SCAN_RPC");
    attach(rpc, "<notes=1@saaj.example.org>", "text/plain", "alone".getBytes(StandardCharsets.US_ASCII));
    show("rpc", ask(rpc, address));

    SOAPMessage linked = message("SCAN_LINK");
    SOAPElement root = (SOAPElement) linked.getSOAPBody().getFirstChild();
    root.addChildElement("LINK", "s", SCANS).addTextNode("cid:link%40saaj.example.org");
    SOAPElement more = root.addChildElement("MORE", "s", SCANS);
    more.addChildElement("item", "s", SCANS).addTextNode("cid:more@saaj.example.org");
    attach(linked, "<more@saaj.example.org>", "image/gif", "GIF".getBytes(StandardCharsets.US_ASCII));
    attach(linked, "<link@saaj.example.org>", "application/pdf", TRICKY);
    show("linked", ask(linked, address));

    SOAPMessage lacking = message("SCAN_LINK");
    SOAPElement lone = (SOAPElement) lacking.getSOAPBody().getFirstChild();
    lone.addChildElement("LINK", "s", SCANS).addTextNode("cid:gone@saaj.example.org");
    show("lacking", ask(lacking, address));
  }

  private static SOAPMessage message(String operation) throws Exception {
    SOAPMessage message = MessageFactory.newInstance().createMessage();
    SOAPElement root = message.getSOAPBody().addChildElement(operation, "s", SCANS);
    boolean isRpc = operation.equals("SCAN_RPC");
    (isRpc ? root.addChildElement("TITLE") : root.addChildElement("TITLE", "s", SCANS)).addTextNode("Titel");
    message.getMimeHeaders().addHeader("SOAPAction", "\"" + operation + ".v1\"");
    String user = Base64.getEncoder().encodeToString("demo:demo".getBytes(StandardCharsets.US_ASCII));
    message.getMimeHeaders().addHeader("Authorization", "Basic " + user);
    return message;
  }

  private static void attach(SOAPMessage message, String id, String type, byte[] content) {
    AttachmentPart part = message.createAttachmentPart(new DataHandler(new ByteArrayDataSource(content, type)));
    part.setContentId(id);
    message.addAttachmentPart(part);
  }

  private static SOAPMessage ask(SOAPMessage message, String address) throws Exception {
    return SOAPConnectionFactory.newInstance().createConnection().call(message, address);
  }

  private static void show(String call, SOAPMessage reply) throws Exception {
    SOAPBody body = reply.getSOAPBody();
    if (body.hasFault()) {
      System.out.println(call + " fault " + body.getFault().getFaultString());
      return;
    }
    for (String each : described(reply)) System.out.println(call + " " + each);
  }

  /** The names and texts of the elements of a message, and its attachments; those that an element refers to at its place. */
  private static List<String> described(SOAPMessage message) throws Exception {
    List<String> lines = new ArrayList<>();
    var found = message.getSOAPBody().getElementsByTagName("*");
    for (int at = 0; at < found.getLength(); at++) {
      SOAPElement element = (SOAPElement) found.item(at);
      String text = element.getValue();
      if (text == null) continue;
      boolean refers = text.startsWith("cid:");
      lines.add(element.getLocalName() + ": " + (refers ? content(message.getAttachment(element)) : text));
    }
    for (var parts = message.getAttachments(); parts.hasNext(); ) {
      AttachmentPart part = parts.next();
      String id = part.getContentId().replaceFirst("=.*", "").replaceFirst("^<", "");
      if (lines.stream().noneMatch(line -> line.endsWith(content(part)))) lines.add(id + " is " + content(part));
    }
    return lines;
  }

  private static String content(AttachmentPart part) {
    try {
      byte[] bytes = part.getRawContentBytes();
      String text = new String(bytes, StandardCharsets.UTF_8);
      boolean isText = text.chars().allMatch(each -> each >= 32 && each < 256);
      return part.getContentType() + " " + (isText ? text : Arrays.equals(bytes, TRICKY) ? "tricky" : bytes.length + " bytes");
    } catch (Exception error) {
      return error.toString();
    }
  }

  private static void serve() throws Exception {
    HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", Swa::answer);
    server.start();
    System.out.println("http://127.0.0.1:" + server.getAddress().getPort());
  }

  /** Answers with the attachments of the request in turned order, and what came as the title. */
  private static void answer(HttpExchange exchange) {
    try (exchange) {
      MimeHeaders headers = new MimeHeaders();
      exchange.getRequestHeaders().forEach((name, values) -> values.forEach(value -> headers.addHeader(name, value)));
      SOAPMessage request = MessageFactory.newInstance().createMessage(headers, exchange.getRequestBody());
      SOAPElement asked = (SOAPElement) request.getSOAPBody().getElementsByTagName("*").item(0);
      SOAPMessage reply = MessageFactory.newInstance().createMessage();
      String name = asked.getLocalName() + "Response";
      SOAPElement root = reply.getSOAPBody().addChildElement(name, "s", SCANS);
      String seen = String.join("|", described(request));
      (name.startsWith("SCAN_RPC") ? root.addChildElement("TITLE") : root.addChildElement("TITLE", "s", SCANS)).addTextNode(seen);
      List<AttachmentPart> parts = new ArrayList<>();
      request.getAttachments().forEachRemaining(part -> parts.add(0, part));
      for (AttachmentPart part : parts) {
        boolean isNamed = part.getContentId().contains("=");
        String id = isNamed ? part.getContentId() : "<" + parts.indexOf(part) + "@saaj.example.org>";
        attach(reply, id, part.getContentType(), part.getRawContentBytes());
        if (isNamed) continue;
        String address = "cid:" + id.substring(1, id.length() - 1);
        root.addChildElement("LINK", "s", SCANS).addTextNode(address);
      }
      reply.saveChanges();
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      reply.writeTo(bytes);
      for (var each = reply.getMimeHeaders().getAllHeaders(); each.hasNext(); ) {
        MimeHeader header = each.next();
        exchange.getResponseHeaders().add(header.getName(), header.getValue());
      }
      exchange.getResponseHeaders().remove("Content-Length");
      exchange.sendResponseHeaders(200, bytes.size());
      exchange.getResponseBody().write(bytes.toByteArray());
    } catch (Exception error) {
      error.printStackTrace();
    }
  }
}
