import java.io.File;
import java.math.BigInteger;
import java.nio.file.Files;
import java.security.MessageDigest;
import java.util.TreeSet;

/** Calls services by the client that openapi-generator writes for OkHttp and Gson, and prints what came of it. */
class OpenApiOkHttp {
  public static void main(String[] arguments) throws Exception {
    var client = new files.ApiClient();
    client.setUsername("demo");
    client.setPassword("demo");
    var api = new files.api.FilesV1Api(client);
    System.out.println("files.put=" + api.fILEPUT("ok.bin", new File(arguments[0])).getSha256());
    byte[] bytes = Files.readAllBytes(api.fILEGET("ok.bin").toPath());
    System.out.println("files.get=" + String.format("%064x", new BigInteger(1, MessageDigest.getInstance("SHA-256").digest(bytes))));
    var queries = new qas_qry_service.ApiClient();
    queries.setUsername("demo");
    queries.setPassword("demo");
    var run = new qas_qry_service.api.QasQryServiceV1Api(queries);
    var data = run.qASEXECUTEQRYRESTGET("PUBLIC", "DEPARTMENTS", "JSON", "NONFILE", null, 2L, null, null, null, null, true).getData();
    var row = data.getQuery().getRows().get(1);
    System.out.println("queries.rows=" + data.getQuery().getNumrows() + " " + row.getAttrRownumber() + " " + new TreeSet<>(row.getAdditionalProperties().keySet()));
    System.exit(0); // OkHttp's threads would wait for more.
  }
}
