import java.security.GeneralSecurityException;
import java.util.Map;

/** Calls every recipe in Java and prints one line of results. */
public final class Main {
    private interface Step {
        void run() throws Exception;
    }

    private static String refusal(Step step) throws Exception {
        try {
            step.run();
        } catch (Groups.ApiException error) {
            return error.code;
        } catch (GeneralSecurityException error) {
            return "refused";
        }
        return "accepted";
    }

    public static void main(String[] arguments) throws Exception {
        var id = "recipe-java";
        var audience = System.getenv("AUDIENCE");
        var token = Groups.getOrCreate(id, "Acme", Map.of("region", "EU")).get("token").asText();
        Groups.getOrCreate(id, "Acme", null);
        var name = Groups.update(id, Map.of("name", "Acme Inc.")).get("name").asText();
        var session = Groups.createEmbedSession(id, Map.of("role", "viewer"));
        var keys = Sessions.loadKeys();
        var role = Sessions.verify(session, keys, audience).get("variables").get("role").asText();
        var altered = session.substring(0, session.length() - 4) + "AAAA";
        var forged = refusal(() -> Sessions.verify(altered, keys, audience));
        var foreign = refusal(() -> Sessions.verify(session, keys, "other/Customer"));
        var rotated = Groups.rotate(token, "rotate " + id).get("token").asText();
        var repeated = Groups.rotate(token, "rotate " + id).get("token").asText();
        Groups.delete(rotated);
        var gone = refusal(() -> Groups.delete(rotated));
        var headers = Map.of("webhook-id", System.getenv("WEBHOOK_ID"), "webhook-timestamp", System.getenv("WEBHOOK_TIMESTAMP"),
                "webhook-signature", System.getenv("WEBHOOK_SIGNATURE"));
        var body = System.getenv("WEBHOOK_BODY");
        var secret = System.getenv("WEBHOOK_SECRET");
        System.out.println(String.join("|", name, role, forged, foreign, gone,
                String.valueOf(!rotated.equals(token) && rotated.equals(repeated)),
                String.valueOf(Webhooks.isGenuine(body.getBytes(), headers, secret)),
                String.valueOf(Webhooks.isGenuine((body + " ").getBytes(), headers, secret)),
                String.valueOf(Webhooks.isGenuine(body.getBytes(), Map.of(), secret))));
    }
}
