// Receives signed postbacks. Java 17 or later: PORT=9000 WEBHOOK_SECRET=whsec_… java Receiver.java
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public class Receiver {
  static final long TOLERANCE_S = 5 * 60;
  static final int MAX_BODY_BYTES = 1024 * 1024;
  static final byte[] KEY =
      Base64.getDecoder().decode(System.getenv().getOrDefault("WEBHOOK_SECRET", "").replaceFirst("^whsec_", ""));

  /** Replace it with a unique column in your database, written in the transaction that stores the message. */
  static final Set<String> HANDLED = new HashSet<>();

  /** Put your code here. If it throws, the message is sent again. So add the id last. */
  static synchronized void handle(String id, byte[] body) {
    if (HANDLED.contains(id)) return;
    // Use the JSON library of your program.
    Matcher subtopic = Pattern.compile("\"subtopic\":\"(\\w+)\"").matcher(new String(body, StandardCharsets.UTF_8));
    if (!subtopic.find()) throw new IllegalArgumentException("not a message");
    System.out.println("received " + id + " " + subtopic.group(1));
    HANDLED.add(id);
  }

  /** Whether one of the signatures is that of the body, and the request is recent. */
  static boolean isGenuine(String id, String timestamp, String signatures, byte[] body)
      throws GeneralSecurityException {
    if (!timestamp.matches("\\d{1,12}")) return false;
    if (Math.abs(System.currentTimeMillis() / 1000 - Long.parseLong(timestamp)) > TOLERANCE_S) return false;
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(KEY, "HmacSHA256"));
    mac.update((id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8));
    byte[] expected = ("v1," + Base64.getEncoder().encodeToString(mac.doFinal(body))).getBytes();
    for (String each : signatures.split(" ")) if (MessageDigest.isEqual(each.getBytes(), expected)) return true;
    return false;
  }

  static String header(HttpExchange exchange, String name) {
    String value = exchange.getRequestHeaders().getFirst(name);
    return value == null ? "" : value;
  }

  static void receive(HttpExchange exchange) throws IOException {
    byte[] body = exchange.getRequestBody().readNBytes(MAX_BODY_BYTES + 1);
    if (body.length > MAX_BODY_BYTES) {
      exchange.sendResponseHeaders(413, -1);
      exchange.close();
      return;
    }
    String id = header(exchange, "webhook-id");
    int status = 500;
    try {
      String signatures = header(exchange, "webhook-signature");
      if (!isGenuine(id, header(exchange, "webhook-timestamp"), signatures, body)) {
        status = 401;
      } else {
        // The data of a test message is made up.
        if (header(exchange, "webhook-test").equals("true")) System.out.println("test " + id);
        else handle(id, body);
        status = 204;
      }
    } catch (GeneralSecurityException | RuntimeException error) {
      error.printStackTrace();
    }
    exchange.sendResponseHeaders(status, -1);
    exchange.close();
  }

  public static void main(String[] arguments) throws IOException {
    // With an empty key, anyone could sign.
    if (KEY.length == 0) throw new IllegalStateException("Set WEBHOOK_SECRET to the signing secret of the webhook.");
    // A sender that does not finish its request is disconnected after these seconds.
    System.setProperty("sun.net.httpserver.maxReqTime", "10");
    int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "9000"));
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
    server.createContext("/", Receiver::receive);
    // Without it, one such sender would block all others.
    server.setExecutor(Executors.newCachedThreadPool());
    server.start();
  }
}
