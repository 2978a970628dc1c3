import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/**
 * Runs generators of Java, and compiles what they write; all in one JVM. Jobs come from standard input, one a line: a folder,
 * the tool and its arguments, between tabs. What is wrong with a job is in the file `FOLDER.log`, which is empty if nothing is.
 */
class Generators {
  interface Tool {
    /** Returns whether it was successful. */
    boolean run(String[] args, PrintStream log) throws ReflectiveOperationException;
  }

  /** By reflection: CXF and Metro are in class paths of their own. */
  private static final Map<String, Tool> TOOLS = Map.of(
      "wsdl2java", (args, log) -> {
        Class<?> context = Class.forName("org.apache.cxf.tools.common.ToolContext");
        Class<?> tool = Class.forName("org.apache.cxf.tools.wsdlto.WSDLToJava");
        Object started = tool.getConstructor(String[].class).newInstance((Object) args);
        tool.getMethod("run", context, OutputStream.class).invoke(started, context.getConstructor().newInstance(), log);
        return true;
      },
      "wadl2java", (args, log) -> {
        Class<?> context = Class.forName("org.apache.cxf.tools.common.ToolContext");
        Class<?> tool = Class.forName("org.apache.cxf.tools.wadlto.WADLToJava");
        Object started = tool.getConstructor(String[].class).newInstance((Object) args);
        tool.getMethod("run", context).invoke(started, context.getConstructor().newInstance());
        return true;
      },
      "xjc", (args, log) -> {
        Class<?> tool = Class.forName("com.sun.tools.xjc.Driver");
        Object code = tool.getMethod("run", String[].class, PrintStream.class, PrintStream.class).invoke(null, args, log, log);
        return code.equals(0);
      },
      "wsimport", (args, log) -> {
        Class<?> tool = Class.forName("com.sun.tools.ws.wscompile.WsimportTool");
        Object started = tool.getConstructor(OutputStream.class).newInstance(log);
        return (boolean) tool.getMethod("run", String[].class).invoke(started, (Object) args);
      });

  public static void main(String[] none) throws IOException {
    for (String line : new String(System.in.readAllBytes(), StandardCharsets.UTF_8).split("\n")) {
      String[] words = line.split("\t");
      Path folder = Files.createDirectories(Path.of(words[0]));
      Files.writeString(Path.of(words[0] + ".log"), run(folder, words[1], Arrays.copyOfRange(words, 2, words.length)));
    }
  }

  /** Returns what is wrong. */
  private static String run(Path folder, String tool, String[] args) throws IOException {
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    PrintStream log = new PrintStream(text, true, StandardCharsets.UTF_8);
    try {
      if (!TOOLS.get(tool).run(args, log)) log.println(tool + " failed");
      else if (compile(folder, log)) return sameFiles(folder);
    } catch (InvocationTargetException failure) {
      for (Throwable cause = failure.getCause(); cause != null; cause = cause.getCause()) log.println(cause);
    } catch (ReflectiveOperationException failure) {
      log.println(failure);
    }
    return text.toString(StandardCharsets.UTF_8);
  }

  private static boolean compile(Path folder, PrintStream log) throws IOException {
    List<Path> sources = filesBelow(folder, ".java");
    if (sources.isEmpty()) {
      log.println("It wrote nothing.");
      return false;
    }
    var compiler = ToolProvider.getSystemJavaCompiler();
    try (var manager = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
      List<String> options = List.of("-proc:none", "-nowarn", "-d", folder.toString());
      var units = manager.getJavaFileObjectsFromPaths(sources);
      return compiler.getTask(new PrintWriter(log, true), manager, null, options, null, units).call();
    }
  }

  /** Classes whose files are one where letter case does not count. */
  private static String sameFiles(Path folder) throws IOException {
    HashSet<String> seen = new HashSet<>();
    StringBuilder same = new StringBuilder();
    for (Path file : filesBelow(folder, ".class")) {
      if (!seen.add(file.toString().toLowerCase(Locale.ROOT))) same.append(file).append(" differs in letter case alone\n");
    }
    return same.toString();
  }

  private static List<Path> filesBelow(Path folder, String ending) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(file -> file.toString().endsWith(ending)).toList();
    }
  }
}
