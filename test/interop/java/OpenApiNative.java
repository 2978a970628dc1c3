import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.security.MessageDigest;
import java.time.LocalDate;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Consumer;

/** Calls each service by the client that openapi-generator writes for `java.net.http`, and prints what came of it. */
class OpenApiNative {
  private static final Consumer<HttpRequest.Builder> DEMO =
      request -> request.header("Authorization", "Basic " + Base64.getEncoder().encodeToString("demo:demo".getBytes()));

  public static void main(String[] arguments) throws Exception {
    files(new File(arguments[0]));
    locations();
    setup();
    processes();
    queries();
    others(new File(arguments[0]));
  }

  private static void files(File file) throws Exception {
    var client = new files.ApiClient().setRequestInterceptor(DEMO);
    var api = new files.api.FilesV1Api(client.setObjectMapper(new FileMapper(client.getObjectMapper())));
    print("files.put", api.fILEPUT("report.bin", file).getSha256());
    byte[] bytes = Files.readAllBytes(api.fILEGET("report.bin").toPath());
    print("files.get", String.format("%064x", new BigInteger(1, MessageDigest.getInstance("SHA-256").digest(bytes))));
    try {
      api.fILEGET("nothing");
    } catch (files.ApiException refused) {
      print("files.none", refused.getCode());
    }
  }

  /** Every body goes through the mapper, which writes the path of a file, in quotes, whatever the contract says. */
  private static class FileMapper extends ObjectMapper {
    FileMapper(ObjectMapper usual) {
      super(usual);
    }

    @Override
    public ObjectMapper copy() {
      return new FileMapper(this);
    }

    @Override
    public byte[] writeValueAsBytes(Object value) throws JsonProcessingException {
      try {
        return value instanceof File file ? Files.readAllBytes(file.toPath()) : super.writeValueAsBytes(value);
      } catch (JsonProcessingException wrong) {
        throw wrong;
      } catch (IOException unreadable) {
        throw new UncheckedIOException(unreadable);
      }
    }
  }

  private static void locations() throws Exception {
    var api = new locations.api.LocationsV1Api(new locations.ApiClient().setRequestInterceptor(DEMO));
    var region = api.lOCATIONSGET("N").getLOCRESPONSE();
    print("locations.first", region.getLOCDATA().get(0).getLOCATION());
    print("locations.blank", region.getEMPDATA());
    var people = (List<?>) api.lOCATIONSGET2("N", "NYC01").getLOCRESPONSE().getEMPDATA();
    print("locations.people", ((Map<?, ?>) people.get(0)).keySet());
  }

  private static void setup() throws Exception {
    var api = new locationsetup.api.LocationSetupV1Api(new locationsetup.ApiClient().setRequestInterceptor(DEMO));
    var location = new locationsetup.model.LOCATIONDOCUMENT();
    location.setREGION("N");
    location.setLOCATION("JAVA01");
    location.setDESCR("Java");
    location.setEFFDT(LocalDate.of(2026, 1, 1));
    var made = api.lOCATIONPOSTWithHttpInfo(location, null, null);
    var address = URI.create(made.getHeaders().get("location").get(0));
    print("setup.made", made.getStatusCode() + " " + made.getData().getDESCR() + " " + made.getData().getEFFSTATUS());
    var request = HttpRequest.newBuilder(address);
    DEMO.accept(request);
    print("setup.found", HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.discarding()).statusCode());
    try {
      api.lOCATIONPOST(location, null, null);
    } catch (locationsetup.ApiException refused) {
      print("setup.twice", refused.getCode());
    }
  }

  private static void processes() throws Exception {
    var api = new processrequest.api.ProcessrequestV1Api(new processrequest.ApiClient().setRequestInterceptor(DEMO));
    var request = new processrequest.model.PRQSCHEDULEREQ();
    request.setRunControlId("JAVA");
    request.setProcessType("Application Engine");
    request.setProcessName("LOCATION_EXTRACT");
    var entered = api.pRCSSCHEDULEWithHttpInfo(request);
    Long instance = entered.getData().getProcessInstance();
    print("processes.location", entered.getHeaders().get("location").get(0).endsWith("/requests/" + instance));
    var found = api.pRCSFINDREQUESTS(instance, instance, null, null, null, null, null, null).getRequests();
    print("processes.found", found.get(0).getProcessName());
  }

  private static void queries() throws Exception {
    var api = new qas_qry_service.api.QasQryServiceV1Api(new qas_qry_service.ApiClient().setRequestInterceptor(DEMO));
    var data = api.qASEXECUTEQRYRESTGET("PUBLIC", "DEPARTMENTS", "JSON", "NONFILE", null, 2L, null, null, null, null, true).getData();
    var row = data.getQuery().getRows().get(1);
    print("queries.rows", data.getQuery().getNumrows() + " " + row.getAttrRownumber() + " " + new TreeSet<>(row.getAdditionalProperties().keySet()));
    var query = new qas_qry_service.model.QUERYDEFINITION().query("JAVA").columns(Map.of("NAME", "string")).sql("select name from employee_tbl");
    print("queries.saved", api.qASSAVEQUERYRESTPOST(query).getINFOMESSAGE());
  }

  /** Services that call other systems: one that is there, and one that is not. */
  private static void others(File file) throws Exception {
    var imports = new imports.api.ImportsV1Api(new imports.ApiClient().setRequestInterceptor(DEMO));
    print("imports", imports.iMPORTPOST(List.of(Map.of("name", "a"))).getResult().get(0).getStatus());
    try {
      new documents.api.DocumentsV1Api(new documents.ApiClient().setRequestInterceptor(DEMO)).dOCUMENTPUT("HR", "a.bin", file, null);
    } catch (documents.ApiException refused) {
      print("documents", refused.getCode());
    }
  }

  private static void print(String what, Object value) {
    System.out.println(what + "=" + value);
  }
}
