import java.nio.charset.StandardCharsets;
import java.util.List;
import org.openapitools.codegen.DefaultGenerator;
import org.openapitools.codegen.config.CodegenConfigurator;

/**
 * Runs openapi-generator, all jobs in one JVM. They come from standard input, one a line, between tabs: the generator, the
 * contract, the folder to write to, then properties of the generator, NAME=VALUE.
 */
class OpenApiGenerator {
  public static void main(String[] none) throws Exception {
    for (String line : new String(System.in.readAllBytes(), StandardCharsets.UTF_8).split("\n")) {
      String[] words = line.split("\t");
      var job = new CodegenConfigurator().setGeneratorName(words[0]).setInputSpec(words[1]).setOutputDir(words[2]);
      // It takes `true` for a name that Java has free; no contract can call a member otherwise than it is called.
      job.addNameMapping("true", "isTrue");
      for (String property : List.of(words).subList(3, words.length)) {
        String[] pair = property.split("=", 2);
        job.addAdditionalProperty(pair[0], pair[1]);
      }
      var generator = new DefaultGenerator();
      for (String part : List.of("apiTests", "modelTests", "apiDocs", "modelDocs")) {
        generator.setGeneratorPropertyDefault(part, "false");
      }
      generator.opts(job.toClientOptInput()).generate();
    }
  }
}
