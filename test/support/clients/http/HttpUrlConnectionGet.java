import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/** Sends GET with a body, as a caller would write it; the JDK turns it into a POST. Prints the status and the reply. */
public class HttpUrlConnectionGet {
    public static void main(String[] arguments) throws Exception {
        HttpURLConnection connection = (HttpURLConnection) URI.create(arguments[0]).toURL().openConnection();
        connection.setRequestMethod("GET");
        connection.setRequestProperty("Authorization", "Token " + arguments[1]);
        connection.setRequestProperty("Content-Type", "application/json");
        connection.setDoOutput(true);
        connection.getOutputStream().write(arguments[2].getBytes(StandardCharsets.UTF_8));
        int status = connection.getResponseCode();
        InputStream reply = status < 400 ? connection.getInputStream() : connection.getErrorStream();
        System.out.println(status + " " + new String(reply.readAllBytes(), StandardCharsets.UTF_8));
    }
}
